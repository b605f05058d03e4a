import { EventSource } from 'eventsource'
import { logClient, type OpenSource, streamClient } from '../event-source-client.ts'

export const openEventSource: OpenSource = async (url, onData) => {
  const source = new EventSource(url)
  source.addEventListener('message', ({ data }) => {
    onData(data)
    if (data === '[DONE]') source.close()
  })
  await new Promise(resolve => {
    source.addEventListener('open', resolve, { once: true })
    // A run that is over by now is refused with 204: such a source never opens.
    source.addEventListener('error', resolve, { once: true })
  })
  return async () => source.close()
}

export const eventSourceLog = logClient(openEventSource)
export const eventSourceStream = streamClient(openEventSource)
