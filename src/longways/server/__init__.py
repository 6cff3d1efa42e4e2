"""The server: texts over HTTP, in our own API and in the APIs of LibreTranslate and DeepL."""
