"""The pages of a PDF as they are in the file: words, lines and links with their places."""
