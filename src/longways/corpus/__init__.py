"""Documents to windows. numpy only."""
