import type { QueryEventOf } from '@throughline/protocol/query-event'

/** The calls that wait for a person, in the order in which they were asked for. */
export type ApprovalRequests = readonly QueryEventOf<'approval_request'>[]

type ApprovalEvent = QueryEventOf<'approval_request' | 'approval_response' | 'tool_result'>

/** What an event makes of the open requests. A call that has its result waits no more, also when the answer was lost. */
export function requestsAfter(requests: ApprovalRequests, event: ApprovalEvent): ApprovalRequests {
  switch (event.type) {
    case 'approval_request':
      return [...requests, event]
    case 'approval_response':
      return without(requests, ({ approval_id }) => approval_id === event.approval_id)
    case 'tool_result':
      return without(requests, ({ tool_call_id }) => tool_call_id === event.tool_call_id)
  }
}

function without(
  requests: ApprovalRequests,
  isOver: (request: ApprovalRequests[number]) => boolean,
): ApprovalRequests {
  return requests.some(isOver) ? requests.filter(request => !isOver(request)) : requests
}
