import type { QueryEventOf } from '@throughline/protocol'

/** The tool calls that wait for approval, in the order of the requests. */
export type ApprovalRequests = readonly QueryEventOf<'approval_request'>[]

type ApprovalEvent = QueryEventOf<'approval_request' | 'approval_response' | 'tool_result'>

/**
 * Returns the open requests after an event. A call that has a result no longer waits, even if the event with the
 * decision was lost. Returns the same array when nothing changes.
 */
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
