/** Whether people can share chats. The server writes it into the page: see the `throughline-sharing` element in index.html. */
export const canShare = document.querySelector('[name=throughline-sharing][content=off]') === null
