"""What the server answers at which address; one module for each API."""
