// Which folder may import from which. `npm run check` reads this table (check-rooms.ts).
//
// A room is a folder below a `src` folder. Its name is the name of its package or app and the path below `src`:
// `agents/web` is packages/agents/src/web, and `agents` holds the files directly in packages/agents/src.
// `agents/**` stands for `agents` and for every folder below it.
//
// The files of a room may import each other, and what the row of the room names. Type imports count too.
// Every folder needs a row. If several rows fit, the longest one counts.

/** What an adapter for the agents of another library, or of another server, may import. */
const forAdapter = [
  'agents',
  'agents/ai-sdk/**',
  'agents/errors',
  'agents/run',
  'agents/values/**',
  'protocol/**',
]

export const rooms: Readonly<Record<string, readonly string[]>> = {
  'protocol/**': [],
  'log/**': ['protocol/**'],
  agents: ['protocol/**'],
  'agents/errors': ['protocol/**'],
  'agents/prices': [],
  'agents/web': ['protocol/**'],
  'agents/values/**': ['agents', 'agents/errors', 'protocol/**'],
  'agents/message': ['agents', 'agents/errors', 'agents/values/**', 'protocol/**'],
  'agents/ai-sdk/**': ['agents', 'agents/errors', 'agents/run', 'agents/values/**', 'protocol/**'],
  'agents/run': [
    'agents',
    'agents/errors',
    'agents/message',
    'agents/prices',
    'agents/values/**',
    'protocol/**',
  ],
  'agents/delegation': ['agents', 'agents/ai-sdk/**', 'agents/run', 'protocol/**'],
  // What happens to the answer of a run whose process died, before its agent goes on.
  'agents/continuation': ['agents', 'agents/delegation', 'agents/message', 'agents/run', 'protocol/**'],
  'agents/definitions': ['agents/delegation', 'agents/run', 'protocol/**'],
  'agents/browser/**': ['agents/delegation', 'agents/run', 'agents/web', 'protocol/**'],
  'agents/mastra': forAdapter,
  // Databases of an application, which agents may read.
  'agents/databases/**': ['agents/databases/**', 'agents/run', 'protocol/**'],
  'agents/mcp': ['agents/errors', 'agents/mcp/oauth', 'agents/run', 'agents/web', 'protocol/**'],
  // How people sign in at MCP servers.
  'agents/mcp/oauth': ['agents/web', 'protocol/**'],
  'agents/langgraph': forAdapter,
  'agents/remote': forAdapter,
  'agents/openai-agents': forAdapter,
  'agents/claude-agent-sdk': ['agents', 'agents/ai-sdk/**', 'agents/run', 'agents/values/**', 'protocol/**'],
  'agents/pi': ['agents', 'agents/ai-sdk/**', 'agents/run', 'agents/values/**', 'protocol/**'],
  'agents/tools': ['agents/delegation', 'agents/run', 'agents/values/**', 'agents/web', 'protocol/**'],
  'agents/models/**': ['agents', 'agents/definitions', 'agents/delegation', 'agents/run', 'protocol/**'],
  'store/**': ['log/**', 'protocol/**'],
  channels: ['channels/cutting', 'channels/reading', 'channels/sending', 'protocol/**'],
  'channels/cutting': ['channels', 'protocol/**'],
  'channels/reading': ['channels/cutting', 'protocol/**'],
  'channels/sending': ['channels', 'channels/cutting', 'channels/reading', 'protocol/**'],
  'channels/telegram/**': ['channels', 'channels/cutting', 'channels/sending', 'protocol/**'],
  'channels/webhook': ['channels', 'channels/sending', 'protocol/**'],
  server: [
    'agents/**',
    'log/**',
    'protocol/**',
    'store/**',
    'server/channels',
    'server/chat-list',
    'server/embed',
    'server/http/**',
    'server/metrics',
    'server/nodes',
    'server/runs',
    'server/stream',
    'server/titles',
  ],
  // What an application calls in its own process. A message that it sends is checked as one that comes by HTTP.
  'server/embed': [
    'agents/**',
    'log/**',
    'protocol/**',
    'store/**',
    'server',
    'server/http/**',
    'server/stream',
  ],
  // Runs, changes and channels know nothing of HTTP. A change is a run without an answer: `runs` runs it.
  'server/runs': [
    'agents/**',
    'log/**',
    'protocol/**',
    'store/**',
    'server',
    'server/changes',
    'server/queue',
    'server/signals',
  ],
  // The submissions that wait for their chats. `runs` begins them.
  'server/queue': ['agents/**', 'log/**', 'protocol/**', 'store/**', 'server/runs', 'server/signals'],
  // Waiting for what another process writes down.
  'server/signals': ['protocol/**', 'store/**'],
  // Titles that models make for chats. `runs` says when an answer is saved.
  'server/titles': ['agents/**', 'protocol/**', 'store/**', 'server/runs'],
  // The lists of chats that people watch.
  'server/chat-list': ['protocol/**', 'store/**', 'server/stream'],
  'server/changes': ['log/**', 'protocol/**', 'store/**'],
  'server/channels': [
    'agents/**',
    'channels/**',
    'log/**',
    'protocol/**',
    'store/**',
    'server/nodes',
    'server/runs',
    'server/signals',
  ],
  // Which process does what. It knows runs and channels only as work that is passed to it.
  'server/nodes': ['log/**', 'protocol/**', 'store/**'],
  'server/http/**': [
    'agents/**',
    'log/**',
    'protocol/**',
    'store/**',
    'server',
    'server/changes',
    'server/channels',
    'server/chat-list',
    'server/nodes',
    'server/queue',
    'server/runs',
    'server/stream/**',
  ],
  // Measures what the other rooms do, through their ports. They do not know it.
  'server/metrics': ['log/**', 'protocol/**', 'store/**', 'server'],
  // A wire form knows what all forms share, and only those other forms that it is made of.
  'server/stream': ['log/**', 'protocol/**', 'store/**', 'server/stream/waits'],
  'server/stream/waits': ['agents/**', 'log/**', 'protocol/**', 'store/**', 'server/stream'],
  'server/stream/log': ['log/**', 'protocol/**', 'server/stream'],
  'server/stream/chunks': ['protocol/**', 'store/**', 'server/stream'],
  'server/stream/inline': ['protocol/**', 'store/**', 'server/stream', 'server/stream/chunks'],
  'server/stream/sdk': [
    'protocol/**',
    'store/**',
    'server/stream',
    'server/stream/chunks',
    'server/stream/inline',
  ],
  'server/stream/data-stream': ['protocol/**', 'store/**', 'server/stream'],
  'server/stream/ag-ui': ['agents/**', 'protocol/**', 'store/**', 'server/stream', 'server/stream/waits'],
  'server/stream/openai': ['log/**', 'protocol/**', 'store/**', 'server/stream', 'server/stream/waits'],
  'server/stream/events': ['agents/**', 'protocol/**', 'store/**', 'server/runs', 'server/stream'],
  'client/**': ['protocol/**'],
  // Makes projects. It stands alone: `npm create` should have nothing else to download.
  'create/**': [],
  console: [
    'client/**',
    'console/agents',
    'console/chat',
    'console/chats',
    'console/compose',
    'console/inspector',
    'console/links',
    'console/navigation',
    'console/opened-page',
    'console/settings',
    'console/settings-page',
    'console/shared-chat',
    'console/sign-in',
    'console/status',
    'protocol/**',
  ],
  'console/settings': [],
  // Links to other sites that mislead.
  'console/links': ['console', 'console/settings'],
  // The screen for a person whom the server does not know.
  'console/sign-in': ['console', 'console/settings'],
  'console/settings-page': ['console', 'console/navigation', 'console/settings'],
  'console/status': ['console', 'console/chats', 'console/navigation', 'console/settings', 'protocol/**'],
  'console/errors': ['client/**', 'console/settings', 'protocol/**'],
  'console/navigation': ['console', 'console/settings', 'console/shortcuts', 'protocol/**'],
  // The keys of the page. They press its buttons, so this room needs none that draws them.
  'console/shortcuts': ['console', 'console/settings'],
  // Pictures that are shown larger when they are clicked.
  'console/pictures': ['console', 'console/settings'],
  // What is far from the screen: how high it probably is, and whether it comes near.
  'console/off-screen': [],
  'console/markdown/**': [
    'console',
    'console/markdown/**',
    'console/off-screen',
    'console/pictures',
    'console/settings',
  ],
  'console/parts': [
    'console',
    'console/errors',
    'console/markdown',
    'console/pictures',
    'console/settings',
    'protocol/**',
  ],
  'console/chats': [
    'client/**',
    'console',
    'console/navigation',
    'console/settings',
    'console/share',
    'protocol/**',
  ],
  // The dialog that makes links to a chat.
  'console/share': ['client/**', 'console', 'console/errors', 'console/settings'],
  // The page of such a link. Its messages are drawn as a chat draws them.
  'console/shared-chat': [
    'client/**',
    'console',
    'console/chat',
    'console/links',
    'console/navigation',
    'console/settings',
    'protocol/**',
  ],
  'console/chat': [
    'client/**',
    'console',
    'console/chats',
    'console/compose',
    'console/errors',
    'console/off-screen',
    'console/parts',
    'console/settings',
    'protocol/**',
  ],
  // The agents that there are, and the forms in which people make their own. A trial is drawn as a chat is.
  'console/agents/**': [
    'client/**',
    'console',
    'console/agents/**',
    'console/chat',
    'console/navigation',
    'console/settings',
    'protocol/**',
  ],
  // A page of another site beside the chat.
  'console/opened-page': ['console', 'console/chat', 'console/settings'],
  // Around the field in which a person writes: files, commands, and messages that wait.
  'console/compose': [
    'client/**',
    'console',
    'console/chats',
    'console/errors',
    'console/settings',
    'protocol/**',
  ],
  // What happened in a chat, for developers. The chat does not know it. A replay is drawn as the chat draws its messages.
  'console/inspector/**': [
    'client/**',
    'console',
    'console/chat',
    'console/errors',
    'console/inspector/**',
    'console/settings',
    'protocol/**',
  ],
  cli: [
    'agents/**',
    'channels/**',
    'cli/backup',
    'cli/chat',
    'cli/compact',
    'cli/config',
    'cli/conformance/**',
    'cli/migrate',
    'cli/replay',
    'cli/text',
    'protocol/**',
    'server/**',
    'store/**',
  ],
  'cli/text': [],
  'cli/config': ['agents/**', 'channels/**', 'cli', 'protocol/**'],
  'cli/chat': ['agents/run', 'cli', 'cli/text', 'client/**', 'protocol/**'],
  'cli/backup': ['cli', 'cli/text', 'store/**'],
  'cli/compact': ['cli', 'cli/text', 'store/**'],
  'cli/conformance/**': ['cli', 'cli/text', 'protocol/**'],
  'cli/migrate': ['cli', 'cli/text', 'store/**'],
  'cli/replay': ['cli', 'cli/text', 'client/**', 'log/**', 'protocol/**', 'store/**'],
}

/** Modules from outside that only some rooms may import. `*` at the end stands for any text. */
export const foreignModules: Readonly<Record<string, readonly string[]>> = {
  // Only agents talk to models. The protocol takes the AI SDK's types.
  ai: ['agents/**', 'protocol/**'],
  '@ai-sdk/*': ['agents/**'],
  // The protocol, the client and the page also run in a browser.
  'node:*': ['agents/**', 'channels/**', 'cli/**', 'create/**', 'log/**', 'server/**', 'store/**'],
}
