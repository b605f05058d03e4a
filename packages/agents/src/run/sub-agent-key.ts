/** The key of the tool with which agents delegate. It is also the tool's name for the model. */
export const subAgentToolKey = 'subAgent'
