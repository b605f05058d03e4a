import { createSession, queryAgent, stopSession } from '@throughline/client/events'

const form = document.querySelector('form')
const answer = document.querySelector('#answer')
const tools = document.querySelector('#tools')
const status = document.querySelector('#status')

// Questions in the same session are one conversation: the agent remembers what was said before.
let sessionId
let asking = new AbortController()

form.addEventListener('submit', async event => {
  event.preventDefault()
  const message = new FormData(form).get('message').trim()
  if (message === '') return
  form.reset()
  asking.abort()
  asking = new AbortController()
  answer.textContent = ''
  tools.textContent = ''
  status.textContent = 'The agent is at work…'
  try {
    await ask(message, asking.signal)
  } catch (error) {
    // A new question has aborted this one: nothing to say about it.
    if (error.name !== 'AbortError') status.textContent = error.message
  }
})

// An abort would only leave; this ends the agent's work, and the answer ends with what it has said.
document.querySelector('#stop').addEventListener('click', () => sessionId && stopSession(sessionId))

async function ask(message, signal) {
  sessionId ??= await createSession()
  const callbacks = {
    onTextDelta: (_, full) => {
      answer.textContent = full
    },
    onToolCall: ({ tool, args }) => addTool(`${tool} ${JSON.stringify(args)}`),
    onToolResult: ({ tool, result, is_error }) =>
      addTool(`${tool} ${is_error ? 'failed' : 'said'}: ${result}`),
    onApprovalRequest: ({ tool }, answer) => answer(confirm(`Allow "${tool}"?`)),
    onUsage: ({ usage }) => {
      const cost = usage.cost_known === false ? '' : `, $${usage.total_cost}`
      status.textContent = `${usage.total_tokens} tokens${cost}`
    },
    onError: ({ error }) => {
      status.textContent = error
    },
  }
  answer.textContent = await queryAgent(message, sessionId, callbacks, { signal })
}

function addTool(text) {
  tools.append(Object.assign(document.createElement('li'), { textContent: text }))
}
