import { tool } from 'ai'
import { z } from 'zod'

// A tool is the AI SDK's own tool(). The model reads the descriptions and decides when to call it.
export const weather = tool({
  title: 'Weather',
  description: 'Tells the weather in a city. The numbers are invented, so say that.',
  inputSchema: z.object({ city: z.string().min(1).describe('The name of the city.') }),
  // Put a call to a real service here. What you return is what the model reads and the page shows.
  execute: async ({ city }) => ({
    city,
    sky: 'sunny',
    temperatureCelsius: 21,
    humidityPercent: 58,
    windKilometresPerHour: 17,
    source: 'demo data',
  }),
})
