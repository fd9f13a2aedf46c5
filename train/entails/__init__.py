"""How the network of ``entails`` is made: ``prepare``, ``fit``, ``export``, ``figures``, in this order."""
