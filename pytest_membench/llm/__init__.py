"""Every effect on a model: client, meter, cassettes, and the stand-in `sim`."""
