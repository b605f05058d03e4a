import { defineAgent } from 'throughline'

// Who answers. Change the instructions, save, and ask again.
export const assistant = defineAgent({
  name: 'assistant',
  displayName: 'Assistant',
  description: 'Answers questions about the weather, and sends reports.',
  instructions:
    'You are a friendly assistant. Use the tools for the weather and for reports. Keep your answers short.',
  // The keys of its tools, as in throughline.config.ts.
  tools: ['weather', 'send_report'],
})
