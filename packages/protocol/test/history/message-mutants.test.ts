import {
  type Mutant,
  moved,
  posted,
  saved,
  stopSaid,
  stored,
  submitted,
  testMutants,
  twice,
  without,
  worked,
} from './mutants.ts'

const mutants: readonly Mutant[] = [
  // Messages.
  ['C1', 'doubled', 'a message is saved twice', saved((messages, answer) => [...messages, answer])],
  [
    'C1',
    'wrong-bytes',
    'a message has another text than was sent',
    submitted((first, second) => [{ ...first, text: 'Sing.' }, second]),
  ],
  ['C1', 'doubled', 'a message is there that nobody sent', submitted(first => [first])],
  [
    'C2',
    'doubled',
    'two retries were told two runs',
    submitted((first, second) => [
      { ...first, accepted: [...first.accepted, { runId: 'run-again', responseMessageId: 'answer-0' }] },
      second,
    ]),
  ],
  [
    'C2',
    'lost',
    'a message was accepted and is not there',
    submitted((first, second) => [
      first,
      second,
      {
        ...first,
        messageId: 'question-lost',
        accepted: [{ runId: 'run-lost', responseMessageId: 'answer-lost' }],
      },
    ]),
  ],
  [
    'C3',
    'wrong-bytes',
    'an answer is not saved',
    saved((messages, answer) => messages.filter(message => message !== answer)),
  ],
  [
    'C3',
    'wrong-bytes',
    'an answer is saved with less than was shown',
    saved((messages, answer) =>
      messages.map(message =>
        message === answer ? { ...answer, parts: answer.parts.slice(0, -1) } : message,
      ),
    ),
  ],
  [
    'C3',
    'wrong-bytes',
    'an answer is saved under another id',
    saved((messages, answer) =>
      messages.map(message => (message === answer ? { ...answer, id: 'answer-other' } : message)),
    ),
  ],
  [
    'D4',
    'left-running',
    'a message is still being written',
    saved((messages, answer) =>
      messages.map(message =>
        message === answer ? { ...answer, metadata: { status: 'streaming' } } : message,
      ),
    ),
  ],
  ['D4', 'left-running', 'the server says that a run goes on', stored(() => ({ isRunning: true }))],

  // Stops.
  [
    'D2',
    'other',
    'a stop said that it stopped an answer that has finished',
    stopSaid('question-0', 'stopped'),
  ],

  // Tools.
  [
    'D6',
    'doubled',
    'a tool did the same task twice',
    worked({ tool: 'pay', idempotencyKey: 'run-0:call-1' }),
  ],
  [
    'D6',
    'doubled',
    'a tool did the same task under another key',
    worked({ tool: 'pay', idempotencyKey: 'run-0:call-2' }),
  ],
  [
    'D6',
    'doubled',
    'an idempotent tool did the same task under another key',
    worked({ tool: 'look', idempotencyKey: 'run-0:call-2' }),
  ],

  // Posts.
  [
    'C6',
    'doubled',
    'a block was posted twice',
    posted((posts, at) => twice(posts, at).with(at, { key: 'again', text: posts[at]?.text ?? '' })),
  ],
  ['C6', 'lost', 'a block was not posted', posted((posts, at) => without(posts, at))],
  ['C6', 'lost', 'the last block was not posted', posted(posts => posts.slice(0, -1))],
  [
    'C6',
    'lost',
    'two blocks were posted in the wrong order',
    posted((posts, at) => moved(posts, at, at + 1)),
  ],
  [
    'C6',
    'wrong-bytes',
    'a block was posted with another text',
    posted((posts, at) => posts.with(at, { key: 'other', text: 'other' })),
  ],
  [
    'C6',
    'wrong-bytes',
    'a key was used for two texts',
    posted((posts, at) => [...posts, { key: posts[at]?.key ?? '', text: 'other' }]),
  ],
]

testMutants(mutants)
