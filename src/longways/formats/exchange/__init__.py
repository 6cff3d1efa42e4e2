"""Files with texts in several languages that translators exchange, read in a stream."""
