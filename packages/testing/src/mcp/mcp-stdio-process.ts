import { createInterface } from 'node:readline'
import { reactToMcp } from './mcp-script.ts'

// This program is the scripted MCP server on standard input and output.
for await (const line of createInterface({ input: process.stdin })) {
  const reaction = reactToMcp(line)
  if (reaction.type === 'respond') process.stdout.write(`${JSON.stringify(reaction.message)}\n`)
  if (reaction.type === 'break-off') process.exit(1)
}
