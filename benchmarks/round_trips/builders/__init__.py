"""Files of every format from blocks of text; the number of a file chooses its oddities."""
