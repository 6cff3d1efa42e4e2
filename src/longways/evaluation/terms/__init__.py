"""How consistently the recurring words of a document are translated."""
