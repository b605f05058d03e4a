import { placeInAddress } from '../place-in-address.ts'

/** Returns what agents are told about this page: it is a chat. Its address and its title are left out: they name chats. */
export function pageContext() {
  return {
    ...placeInAddress(),
    tabs: [{ id: 'console', title: 'Throughline', url: '', kind: 'chat' }],
    activeTabId: 'console',
  }
}
