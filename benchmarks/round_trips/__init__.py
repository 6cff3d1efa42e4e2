"""Files of every format through reading, translation and the software that people open them in."""
