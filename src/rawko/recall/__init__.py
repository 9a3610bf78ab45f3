"""From a task to the prompt: patterns, the derived index, scores, the choice, and its wording."""
