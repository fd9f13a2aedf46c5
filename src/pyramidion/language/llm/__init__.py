"""Questions to a chat endpoint: prompts, kept answers, patience and a purse."""
