"""How the network of ``pyramidion-writes`` is made: ``prepare``, ``fit``, ``export``, ``figures``, in this order."""
