// Which folder may import from which. `npm run check` reads this table (check-rooms.ts).
//
// A room is a folder below a `src` folder. Its name is the name of its package or app and the path below `src`:
// `agents/web` is packages/agents/src/web, and `agents` holds the files directly in packages/agents/src. The doors of a package
// (`index.ts`, `testing.ts` and its other entry points) are in no room: what they pass on counts as an import of the file behind.
//
// The files of a room may import each other, and what the row of the room names. Imports of types count, and imports that are made
// later or by a thread. Every room has a row of its own, which names rooms of its own package one by one. Another package may be named as a
// whole: `agents/**`. No two rooms import each other, so they form layers: docs/architecture.md shows them.

/** What an adapter for the agents of another library, or of another server, may import. */
const forAdapter = [
  'agents/agent',
  'agents/ai-sdk',
  'agents/errors',
  'agents/run',
  'agents/values',
  'protocol/**',
]

export const rooms: Readonly<Record<string, readonly string[]>> = {
  // protocol/src has doors only: `index` and `internal` also run in browsers, `history` and `testing` are for tests.
  // Small functions on plain values: texts, JSON, lists, fields of objects.
  'protocol/values': [],
  // Waiting, trying again, and work at the same time. All packages use it.
  'protocol/async': [],
  // What a chat is made of: messages with their parts and metadata, ids, branches.
  'protocol/message': ['protocol/values'],
  // What a log is made of: chunks, entries and positions.
  'protocol/entries': ['protocol/message', 'protocol/values'],
  // Makes a chat of a log. Pure.
  'protocol/fold': ['protocol/entries', 'protocol/message', 'protocol/values'],
  // What a server and its clients say to each other besides the log.
  'protocol/wire': ['protocol/entries', 'protocol/message', 'protocol/values'],
  // What tests of a server wrote down, and the checks of it. The other rooms do not know it.
  'protocol/history': ['protocol/entries', 'protocol/fold', 'protocol/message', 'protocol/values'],
  log: ['protocol/**'],
  // The doors of the package, and the model that the settings name.
  agents: ['agents/definitions', 'agents/demo', 'agents/models', 'agents/models/thread'],
  // What an agent is, and what it yields.
  'agents/agent': ['protocol/**'],
  // What is said and logged about failures. Secrets are covered.
  'agents/errors': ['protocol/**'],
  // What tokens cost.
  'agents/prices': [],
  // Inputs and outputs of tools: as JSON, cut to size, pictures; from callbacks to a stream.
  'agents/values': ['agents/agent', 'agents/errors', 'protocol/**'],
  // From events to the chunks of one message.
  'agents/message': ['agents/agent', 'agents/errors', 'agents/values', 'protocol/**'],
  // Runs one agent in its frame: limits, approvals and outputs from outside, usage, its tools.
  'agents/run': [
    'agents/agent',
    'agents/errors',
    'agents/message',
    'agents/prices',
    'agents/values',
    'protocol/**',
  ],
  // From the AI SDK's stream to events, and agents of the AI SDK.
  'agents/ai-sdk': [
    'agents/agent',
    'agents/ai-sdk/bypass',
    'agents/errors',
    'agents/message',
    'agents/run',
    'agents/values',
    'protocol/**',
  ],
  // Deltas of a model that go past the AI SDK.
  'agents/ai-sdk/bypass': ['protocol/**'],
  // `MasterAgent`, `SubAgent`, and the tool `subAgent`.
  'agents/delegation': ['agents/agent', 'agents/ai-sdk', 'agents/run', 'protocol/**'],
  // What happens to the answer of a run whose process died, before its agent goes on.
  'agents/continuation': ['agents/agent', 'agents/delegation', 'agents/message', 'agents/run', 'protocol/**'],
  // Agents in a configuration and in the database.
  'agents/definitions': ['agents/delegation', 'agents/run', 'protocol/**'],
  // The way to the network: only to addresses that are public.
  'agents/web/guard': ['protocol/**'],
  // Fetching and searching.
  'agents/web': ['agents/web/guard', 'protocol/**'],
  // A real browser, its tools and its agent.
  'agents/browser': ['agents/delegation', 'agents/run', 'agents/web', 'agents/web/guard', 'protocol/**'],
  // Databases of an application, which agents may read.
  'agents/databases': ['agents/run', 'protocol/**'],
  // Tools of MCP servers.
  'agents/mcp': ['agents/errors', 'agents/mcp/oauth', 'agents/run', 'agents/web', 'protocol/**'],
  // How people sign in at MCP servers.
  'agents/mcp/oauth': ['agents/web/guard', 'protocol/**'],
  // The tools that come with Throughline, and what tools can ask.
  'agents/tools': ['agents/delegation', 'agents/run', 'agents/values', 'agents/web', 'protocol/**'],
  // Models of providers.
  'agents/models': [],
  // Runs the models of providers in a thread of their own.
  'agents/models/thread': ['agents/models'],
  // The scripted model, and the agents, tools and page that it uses.
  'agents/demo': ['agents/ai-sdk', 'agents/definitions', 'agents/delegation', 'agents/run', 'protocol/**'],
  // Agents of other libraries, which are not imported themselves.
  'agents/langgraph': forAdapter,
  'agents/mastra': forAdapter,
  'agents/openai-agents': forAdapter,
  // Agents for services that exist already.
  'agents/remote': forAdapter,
  'agents/claude-agent-sdk': ['agents/agent', 'agents/ai-sdk', 'agents/run', 'agents/values', 'protocol/**'],
  'agents/pi': ['agents/agent', 'agents/ai-sdk', 'agents/run', 'agents/values', 'protocol/**'],
  // What works on either engine.
  store: [
    'protocol/**',
    'store/database',
    'store/disk',
    'store/move',
    'store/open',
    'store/postgres',
    'store/sqlite',
  ],
  'store/backup': ['store/disk', 'store/sqlite'],
  'store/channels': ['log/**', 'protocol/**', 'store/chats', 'store/database', 'store/nodes'],
  'store/chats': ['log/**', 'protocol/**', 'store/database', 'store/files', 'store/nodes'],
  // The cellar of the store: the port to a database, both dialects of SQL, the tables, and how long work waits for a database.
  'store/database': ['protocol/**'],
  'store/disk': [],
  'store/file-bytes': ['protocol/**', 'store/database', 'store/disk'],
  'store/files': ['protocol/**', 'store/database', 'store/file-bytes'],
  // Whole stores: how they are, and copies of them.
  'store/health': ['store/database', 'store/disk', 'store/postgres', 'store/sqlite'],
  'store/memory': [],
  'store/messages': ['protocol/**', 'store/chats', 'store/database'],
  'store/move': [
    'protocol/**',
    'store/database',
    'store/disk',
    'store/file-bytes',
    'store/postgres',
    'store/sqlite',
  ],
  // The tables, in the SQL that both engines share.
  'store/nodes': ['protocol/**', 'store/database'],
  // Puts a store together on one of the engines.
  'store/open': [
    'log/**',
    'protocol/**',
    'store/backup',
    'store/channels',
    'store/chats',
    'store/database',
    'store/disk',
    'store/file-bytes',
    'store/files',
    'store/health',
    'store/messages',
    'store/move',
    'store/nodes',
    'store/owners',
    'store/postgres',
    'store/postgres/log',
    'store/postgres/notifications',
    'store/queue',
    'store/runs',
    'store/sqlite',
  ],
  'store/owners': ['protocol/**', 'store/database'],
  'store/postgres': ['protocol/**', 'store/database'],
  'store/postgres/log': [
    'log/**',
    'protocol/**',
    'store/database',
    'store/postgres',
    'store/postgres/notifications',
  ],
  'store/postgres/notifications': ['protocol/**', 'store/nodes', 'store/postgres'],
  'store/queue': ['protocol/**', 'store/database', 'store/files'],
  'store/runs': [
    'log/**',
    'protocol/**',
    'store/chats',
    'store/database',
    'store/files',
    'store/messages',
    'store/nodes',
    'store/owners',
    'store/queue',
  ],
  // The engines. Beside them, no room knows which database it is on.
  'store/sqlite': ['log/**', 'protocol/**', 'store/database', 'store/memory'],
  // What a delivery asks for from outside: a channel, an outbox, a timer. And how an approval is put into words.
  'channels/ports': ['protocol/**'],
  // Cuts a text into blocks. Knows no channel.
  'channels/cutting': ['protocol/**'],
  // Reads the text of an answer from the log.
  'channels/reading': ['channels/cutting', 'channels/ports', 'protocol/**'],
  // The stages between the text of an answer and its messages.
  'channels/stages': ['channels/cutting', 'channels/ports', 'channels/reading'],
  // Messages on their way to the channel: saved in the outbox, sent, tried again.
  'channels/sending': ['channels/cutting', 'channels/ports', 'protocol/**'],
  'channels/delivery': [
    'channels/cutting',
    'channels/ports',
    'channels/reading',
    'channels/sending',
    'channels/stages',
    'protocol/**',
  ],
  'channels/telegram': ['channels/cutting', 'channels/ports', 'protocol/**'],
  'channels/webhook': ['channels/ports', 'protocol/**'],
  // Puts everything together, and is what an application starts.
  server: [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/channels',
    'server/chat-list',
    'server/embed',
    'server/engine',
    'server/http',
    'server/http/guards',
    'server/http/listen',
    'server/http/request',
    'server/http/sign-in',
    'server/metrics',
    'server/nodes',
    'server/refusals',
    'server/runs',
    'server/stopping',
    'server/stream/bytes',
    'server/titles',
    'server/waits',
    'server/who',
    'store/**',
  ],
  // From a submission to its run: at once, or after it has waited in the queue of its chat.
  'server/admission': [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/engine',
    'server/recovery',
    'server/refusals',
    'server/signals',
    'server/stopping',
    'server/stream',
    'server/titles',
    'server/who',
    'store/**',
  ],
  // A change of saved messages is a run without an answer.
  'server/changes': [
    'log/**',
    'protocol/**',
    'server/engine',
    'server/refusals',
    'server/stopping',
    'store/**',
  ],
  'server/channels': [
    'agents/**',
    'channels/**',
    'log/**',
    'protocol/**',
    'server/admission',
    'server/engine',
    'server/nodes',
    'server/refusals',
    'server/runs',
    'server/signals',
    'server/waits',
    'server/who',
    'store/**',
  ],
  // The lists of chats that people watch.
  'server/chat-list': ['protocol/**', 'server/stream', 'server/stream/bytes', 'store/**'],
  // Chats as a whole: their history, and their removal.
  'server/chats': ['log/**', 'protocol/**', 'server/channels', 'server/engine', 'server/runs', 'store/**'],
  // What an application calls in its own process. A message that it sends is checked as one that comes by HTTP.
  'server/embed': [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/chats',
    'server/http/chat',
    'server/http/request',
    'server/http/sign-in',
    'server/http/submit',
    'server/stream',
    'store/**',
  ],
  // One run from its first entry to its end. It knows neither how runs begin nor who stops them.
  'server/engine': [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/files',
    'server/refusals',
    'server/waits',
    'server/who',
    'store/**',
  ],
  // The files of messages: which ones there may be, and how they are kept.
  'server/files': ['agents/**', 'protocol/**', 'store/**'],
  // The table of routes.
  'server/http': [
    'log/**',
    'protocol/**',
    'server/http/ag-ui',
    'server/http/chat',
    'server/http/chats',
    'server/http/connections',
    'server/http/definitions',
    'server/http/events',
    'server/http/guards',
    'server/http/openai',
    'server/http/request',
    'server/http/respond',
    'server/http/share',
    'server/http/sign-in',
    'server/http/status',
  ],
  'server/http/ag-ui': [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/admission',
    'server/http/attachments',
    'server/http/chat',
    'server/http/request',
    'server/http/respond',
    'server/http/submit',
    'server/stream',
    'server/stream/ag-ui',
    'server/stream/bytes',
    'server/waits',
    'server/who',
    'store/**',
  ],
  'server/http/attachments': ['agents/**', 'protocol/**', 'server/files', 'store/**'],
  'server/http/chat': [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/admission',
    'server/http/request',
    'server/http/respond',
    'server/http/submit',
    'server/stream',
    'server/stream/chunks',
    'server/stream/data-stream',
    'server/stream/inline',
    'server/stream/sdk',
    'store/**',
  ],
  'server/http/chats': [
    'log/**',
    'protocol/**',
    'server/admission',
    'server/changes',
    'server/chat-list',
    'server/chats',
    'server/files',
    'server/http/request',
    'server/http/respond',
    'server/http/submit',
    'server/refusals',
    'server/stream/chunks',
    'server/stream/inline',
    'server/stream/log',
    'server/stream/sdk',
    'server/who',
    'store/**',
  ],
  'server/http/connections': ['agents/**', 'protocol/**', 'server/http/request'],
  'server/http/definitions': ['agents/**', 'protocol/**', 'server/http/request', 'server/who', 'store/**'],
  'server/http/events': [
    'agents/**',
    'protocol/**',
    'server/chats',
    'server/http/request',
    'server/http/respond',
    'server/http/submit',
    'server/stream',
    'server/stream/events',
    'server/who',
    'store/**',
  ],
  // Which hosts, origins and paths are served.
  'server/http/guards': ['protocol/**', 'server/http/request', 'server/http/sign-in', 'server/refusals'],
  // From a connection to the routes.
  'server/http/listen': [
    'protocol/**',
    'server/http/guards',
    'server/http/request',
    'server/refusals',
    'server/stream/bytes',
    'store/**',
  ],
  'server/http/openai': [
    'agents/**',
    'protocol/**',
    'server/admission',
    'server/changes',
    'server/chats',
    'server/engine',
    'server/http/attachments',
    'server/http/request',
    'server/http/respond',
    'server/http/submit',
    'server/stream',
    'server/stream/openai',
    'server/who',
    'store/**',
  ],
  // What every route works with: the services, the request and its checks.
  'server/http/request': [
    'agents/**',
    'protocol/**',
    'server/channels',
    'server/chat-list',
    'server/engine',
    'server/nodes',
    'server/refusals',
    'server/runs',
    'server/stream/bytes',
    'server/waits',
    'server/who',
    'store/**',
  ],
  // The ways in which routes respond.
  'server/http/respond': [
    'log/**',
    'protocol/**',
    'server/http/request',
    'server/refusals',
    'server/stream',
    'server/stream/ag-ui',
    'server/stream/bytes',
    'server/stream/chunks',
    'server/stream/openai',
    'server/stream/sdk',
    'store/**',
  ],
  'server/http/share': [
    'log/**',
    'protocol/**',
    'server/chats',
    'server/files',
    'server/http/chats',
    'server/http/request',
    'server/http/respond',
    'store/**',
  ],
  // Who sends a request.
  'server/http/sign-in': ['protocol/**', 'server/http/request', 'server/who'],
  'server/http/status': ['agents/**', 'protocol/**', 'server/http/request', 'server/who'],
  // From the body of a request to a submission.
  'server/http/submit': [
    'agents/**',
    'protocol/**',
    'server/admission',
    'server/chats',
    'server/http/attachments',
    'server/http/request',
    'server/stream',
    'server/who',
    'store/**',
  ],
  // Measures what the other rooms do, through their ports. They do not know it.
  'server/metrics': ['log/**', 'protocol/**', 'server/refusals', 'store/**'],
  // Which process does what. It knows runs and channels only as work that is passed to it.
  'server/nodes': ['log/**', 'protocol/**', 'server/recovery', 'store/**'],
  // What becomes of runs whose process died, and which of them is to blame.
  'server/recovery': [
    'agents/**',
    'log/**',
    'protocol/**',
    'server/changes',
    'server/engine',
    'server/refusals',
    'server/stopping',
    'server/who',
    'store/**',
  ],
  // What is refused, and why: to clients, and to whoever starts the server.
  'server/refusals': ['protocol/**', 'store/**'],
  // What the rest of the server calls: one object for all runs of this process.
  'server/runs': [
    'agents/**',
    'protocol/**',
    'server/admission',
    'server/changes',
    'server/engine',
    'server/recovery',
    'server/refusals',
    'server/stopping',
    'server/stream',
    'server/titles',
    'store/**',
  ],
  // Waiting for what another process writes down.
  'server/signals': ['protocol/**', 'store/**'],
  // Ends that somebody asks for, in this process or in another one.
  'server/stopping': ['agents/**', 'log/**', 'protocol/**', 'server/engine', 'server/signals', 'store/**'],
  // What viewers of a run see, in every wire form.
  'server/stream': ['agents/**', 'log/**', 'protocol/**', 'server/stream/bytes', 'store/**'],
  'server/stream/ag-ui': ['agents/**', 'protocol/**', 'server/stream', 'server/stream/bytes', 'store/**'],
  // From events to the connection of a viewer.
  'server/stream/bytes': ['protocol/**', 'store/**'],
  'server/stream/chunks': ['protocol/**', 'server/stream', 'server/stream/bytes', 'store/**'],
  'server/stream/data-stream': ['protocol/**', 'server/stream', 'server/stream/bytes', 'store/**'],
  'server/stream/events': [
    'agents/**',
    'protocol/**',
    'server/files',
    'server/stream',
    'server/stream/bytes',
    'store/**',
  ],
  'server/stream/inline': ['protocol/**', 'server/stream', 'server/stream/chunks', 'store/**'],
  'server/stream/log': ['log/**', 'protocol/**', 'server/stream', 'server/stream/bytes'],
  'server/stream/openai': ['log/**', 'protocol/**', 'server/stream', 'server/stream/bytes', 'store/**'],
  'server/stream/sdk': [
    'protocol/**',
    'server/stream',
    'server/stream/chunks',
    'server/stream/inline',
    'store/**',
  ],
  // The titles of chats: their first words, or what a model says.
  'server/titles': ['agents/**', 'protocol/**', 'server/engine', 'server/who', 'store/**'],
  // What runs wait for: decisions of people, and outputs of tools of the client.
  'server/waits': ['agents/**', 'protocol/**', 'server/signals', 'store/**'],
  // Who speaks in a chat: agents, their models, people, and who asked.
  'server/who': ['agents/**', 'protocol/**', 'server/refusals', 'store/**'],
  // client/src has doors only.
  // Requests, their errors and their retries.
  'client/http': ['protocol/**'],
  // What a page offers: its functions, and its frames.
  'client/page': [],
  // One chat: loads it, follows its log, sends messages.
  'client/chat': ['client/http', 'client/page', 'protocol/**'],
  // The list of a person's chats.
  'client/chats': ['client/chat', 'client/http', 'protocol/**'],
  // The event API: one question at a time.
  'client/events': ['client/chat', 'client/http', 'client/page', 'protocol/**'],
  'client/react': ['client/chat', 'client/events', 'protocol/**'],
  'client/vue': ['client/chat', 'client/events', 'client/http', 'protocol/**'],
  // Makes projects. It stands alone: `npm create` should have nothing else to download.
  create: [],
  // The page. The start of it, and the frame around a chat or another page.
  console: [
    'console/agents',
    'console/chat',
    'console/chats',
    'console/compose',
    'console/controls',
    'console/links',
    'console/navigation',
    'console/outbox',
    'console/pages',
    'console/server',
    'console/settings',
    'protocol/**',
  ],
  // What the address can name besides a chat. Loaded when it is opened.
  'console/pages': [
    'client/**',
    'console/agents',
    'console/controls',
    'console/links',
    'console/messages',
    'console/navigation',
    'console/pages/agents',
    'console/pages/status',
    'console/server',
    'console/settings',
    'console/words/later',
    'console/words/other-pages',
    'protocol/**',
  ],
  // The agents, and the trial of one, which is drawn as a chat is.
  'console/pages/agents': [
    'client/**',
    'console/agents',
    'console/browser',
    'console/chat',
    'console/compose',
    'console/controls',
    'console/inspector',
    'console/navigation',
    'console/pages/agents/form',
    'console/queue',
    'console/server',
    'console/settings',
    'console/words/other-pages',
    'protocol/**',
  ],
  // What was used, and how the server is doing.
  'console/pages/status': [
    'console/agents',
    'console/controls',
    'console/navigation',
    'console/server',
    'console/settings',
    'console/text',
    'console/words/other-pages',
    'protocol/**',
  ],
  // The form in which people make agents of their own.
  'console/pages/agents/form': [
    'console/agents',
    'console/controls',
    'console/server',
    'console/settings',
    'console/words/other-pages',
    'protocol/**',
  ],
  // The page of one chat. The inspector, and a page of another site, are beside it.
  'console/chat': [
    'client/**',
    'console/agents',
    'console/browser',
    'console/chats',
    'console/compose',
    'console/controls',
    'console/errors',
    'console/inspector',
    'console/markdown',
    'console/messages',
    'console/navigation',
    'console/outbox',
    'console/parts',
    'console/queue',
    'console/server',
    'console/settings',
    'console/words/first',
    'console/words/later',
    'protocol/**',
  ],
  // What happened in a chat, for developers. The chat opens it, and it does not know the chat.
  'console/inspector': [
    'client/**',
    'console/browser',
    'console/controls',
    'console/errors',
    'console/inspector/entries',
    'console/inspector/replay',
    'console/inspector/timeline',
    'console/server',
    'console/text',
    'console/words/inspector',
    'protocol/**',
  ],
  // Messages as they were at a position of the log, drawn as the chat draws them.
  'console/inspector/replay': [
    'client/**',
    'console/controls',
    'console/errors',
    'console/messages',
    'console/server',
    'console/text',
    'console/words/inspector',
    'protocol/**',
  ],
  'console/inspector/timeline': [
    'console/controls',
    'console/inspector/entries',
    'console/text',
    'console/words/inspector',
    'protocol/**',
  ],
  // The entries of a log, and what can be said of them.
  'console/inspector/entries': ['client/**', 'protocol/**'],
  // How messages are drawn. A message is made of parts, and their text is Markdown.
  'console/messages': [
    'client/**',
    'console/agents',
    'console/browser',
    'console/controls',
    'console/errors',
    'console/off-screen',
    'console/parts',
    'console/pictures',
    'console/settings',
    'protocol/**',
  ],
  'console/parts': [
    'client/**',
    'console/controls',
    'console/errors',
    'console/markdown',
    'console/pictures',
    'console/settings',
    'console/text',
    'console/words/first',
    'console/words/later',
    'protocol/**',
  ],
  'console/markdown': [
    'console/controls',
    'console/markdown/code',
    'console/markdown/diagram',
    'console/markdown/math',
    'console/off-screen',
    'console/settings',
    'console/text',
  ],
  'console/markdown/diagram': [
    'console/markdown/code',
    'console/pictures',
    'console/server',
    'console/words/later',
  ],
  'console/markdown/code': ['console/browser', 'console/controls', 'console/off-screen', 'console/settings'],
  'console/markdown/math': [],
  // In place of tables of markdown-it that a browser has already.
  'console/markdown/in-browser': [],
  // The field in which a person writes, with files and commands.
  'console/compose': [
    'console/chats/export',
    'console/controls',
    'console/queue',
    'console/server',
    'console/settings',
    'console/words/later',
    'protocol/**',
  ],
  // The list of chats.
  'console/chats': [
    'client/**',
    'console/browser',
    'console/chats/export',
    'console/controls',
    'console/errors',
    'console/navigation',
    'console/server',
    'console/settings',
    'console/words/first',
    'console/words/later',
    'protocol/**',
  ],
  // A chat as a file. The list saves it, and a command does.
  'console/chats/export': ['console/browser', 'console/server', 'console/words/first', 'protocol/**'],
  // Messages that wait for the end of an answer.
  'console/queue': [
    'client/**',
    'console/controls',
    'console/errors',
    'console/server',
    'console/settings',
    'console/words/later',
    'protocol/**',
  ],
  // Pictures that are shown larger when they are clicked.
  'console/pictures': ['console/controls', 'console/server', 'console/words/later'],
  // Where the person is on the page: routes, the frame, and the keys, which press buttons of the page.
  'console/navigation': [
    'console/browser',
    'console/controls',
    'console/server',
    'console/settings',
    'console/words/later',
    'protocol/**',
  ],
  // Links to other sites that mislead.
  'console/links': ['console/text', 'console/words/later'],
  // All words are in catalogues, one for each language and each group that is loaded together.
  'console/words/other-pages': ['console/settings'],
  'console/words/later': ['console/settings'],
  'console/words/inspector': ['console/settings'],
  'console/words/first': [],
  // What went wrong, in the language of the person.
  'console/errors': ['client/**', 'console/settings', 'protocol/**'],
  // Buttons, fields, and what stands in place of something that cannot be shown.
  'console/controls': ['console/server', 'console/settings'],
  // The agents that there are, and which of them answers next.
  'console/agents': ['client/**', 'console/server', 'console/settings', 'protocol/**'],
  // Language, theme and notifications.
  'console/settings': ['console/words/first'],
  // Messages that wait in this browser until the server has them.
  'console/outbox': ['client/**', 'console/server', 'protocol/**'],
  // Short texts for a person, made of a number or an address.
  'console/text': [],
  // The way to the server, and the token of the person.
  'console/server': ['client/**', 'protocol/**'],
  // What is far from the screen: how high it probably is, and whether it comes near.
  'console/off-screen': [],
  // What the browser offers: the clipboard, keys, the focus, files.
  'console/browser': [],
  // The commands, each loaded when it is needed. All other files there are doors.
  cli: [
    'cli/chat',
    'cli/conformance',
    'cli/maintenance',
    'cli/replay',
    'cli/serve',
    'cli/settings',
    'cli/shell',
  ],
  // What a command gets from the shell: words, streams, colours. And the errors that it prints.
  'cli/shell': [],
  // Texts for a terminal.
  'cli/text': ['store/**'],
  // The settings in the environment.
  'cli/settings': ['agents/**', 'cli/shell', 'protocol/**', 'server/**', 'store/**'],
  // The file throughline.config.ts: its type and its checks.
  'cli/config': ['agents/**', 'channels/**', 'cli/settings', 'protocol/**', 'server/**'],
  // Commands that copy, move or repair the data of a server.
  'cli/maintenance': ['cli/settings', 'cli/shell', 'cli/text', 'store/**'],
  // Puts a server together, from settings and a configuration.
  'cli/serve': [
    'agents/**',
    'channels/**',
    'cli/config',
    'cli/maintenance',
    'cli/settings',
    'cli/shell',
    'cli/text',
    'protocol/**',
    'server/**',
    'store/**',
  ],
  'cli/chat': ['agents/**', 'cli/shell', 'cli/text', 'client/**', 'protocol/**'],
  'cli/replay': ['cli/settings', 'cli/shell', 'cli/text', 'client/**', 'log/**', 'protocol/**', 'store/**'],
  'cli/conformance': ['cli/conformance/checks', 'cli/conformance/evidence', 'cli/shell', 'cli/text'],
  'cli/conformance/checks': ['cli/conformance/evidence', 'cli/text', 'protocol/**'],
  // Asks a server, and records what it sends. The checks judge that.
  'cli/conformance/evidence': ['cli/text', 'protocol/**'],
}

/** Modules from outside that only some rooms may import. `*` at the end stands for any text. */
export const foreignModules: Readonly<Record<string, readonly string[]>> = {
  // Only agents talk to models. The protocol takes the AI SDK's types.
  ai: ['agents/**', 'protocol/**'],
  '@ai-sdk/*': ['agents/**'],
  // The protocol, the client and the page also run in a browser.
  'node:*': ['agents/**', 'channels/**', 'cli/**', 'create/**', 'log/**', 'server/**', 'store/**'],
}
