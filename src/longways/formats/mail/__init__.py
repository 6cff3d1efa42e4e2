"""E-mail: subjects and bodies of messages, in their encodings."""
