/** The workspace and the page of an application that a person works in. */
interface Place {
  readonly workspaceId?: string | undefined
  readonly pageId?: string | undefined
}

/** Returns where the person works, as the address says: `?workspaceId=work&pageId=board`. */
function placeInAddress(): Place {
  const given = new URLSearchParams(location.search)
  return {
    workspaceId: given.get('workspaceId') || undefined,
    pageId: given.get('pageId') || undefined,
  }
}

/** Returns the same as a query, to keep it in the next address; empty when there is none. */
export function placeQuery(): string {
  const given = Object.entries(placeInAddress()).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`
}

/** Returns what agents are told about this page: it is a chat. Its address and its title are left out: they name chats. */
export function pageContext() {
  return {
    ...placeInAddress(),
    tabs: [{ id: 'console', title: 'Throughline', url: '', kind: 'chat' }],
    activeTabId: 'console',
  }
}
