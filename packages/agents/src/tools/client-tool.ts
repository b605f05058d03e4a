import { jsonSchema, tool } from 'ai'
import { z } from 'zod'
import { type ToolFactory, toolFactory } from '../run/tool-factory-registry.ts'

/** A tool that a request brings. The program that sends the request runs it. */
export const clientToolSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  /** A JSON schema of its input, which is an object. */
  inputSchema: z.record(z.string(), z.unknown()),
})
/** A tool that a request brings. */
export type ClientTool = Readonly<z.infer<typeof clientToolSchema>>

/** Makes a factory of a tool that a request brings. Its calls wait until the client sends their outputs. */
export function clientToolFactory({ name, description, inputSchema }: ClientTool): ToolFactory {
  return toolFactory(
    name,
    tool({ ...(description !== undefined && { description }), inputSchema: jsonSchema(inputSchema) }),
  )
}
