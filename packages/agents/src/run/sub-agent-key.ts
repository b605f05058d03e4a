/** The key, and for the model the name, of the tool with which agents ask other agents. */
export const subAgentToolKey = 'subAgent'
