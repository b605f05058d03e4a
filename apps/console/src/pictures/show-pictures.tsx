import { createRoot } from 'react-dom/client'
import type { Language } from '../settings/words.ts'
import { type Picture, PictureViewer } from './picture-viewer.tsx'

/** Shows the picture in a button over the page, and those in the other picture buttons beside it. */
export function showPictures(button: HTMLButtonElement, language: Language): void {
  const buttons = [...document.querySelectorAll('button[data-picture]')]
  const pictures = buttons.flatMap(pictureIn)
  const holder = document.body.appendChild(document.createElement('div'))
  const root = createRoot(holder)
  const close = () => {
    root.unmount()
    holder.remove()
    // The button may be gone by now, for example because the person has opened another chat.
    button.focus()
  }
  const first = Math.max(0, buttons.filter(each => pictureIn(each).length > 0).indexOf(button))
  root.render(<PictureViewer pictures={pictures} first={first} language={language} onClose={close} />)
}

function pictureIn(button: Element): readonly Picture[] {
  const image = button.querySelector('img')
  return image === null ? [] : [{ address: image.src, label: image.alt }]
}
