import { Component, type ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly fallback: ReactNode
  readonly children: ReactNode
}

/** Shows a note instead of something that cannot be drawn. Everything around it stays. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown) {
    console.error('A part of the page could not be drawn.', error)
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}

/** In place of something that cannot be shown: says so, and offers what usually helps. */
export function ReloadNote() {
  const words = useWords()
  return (
    <p role="alert" className="p-3 text-sm text-danger">
      {words.renderFailed}{' '}
      <button
        type="button"
        onClick={() => location.reload()}
        className="font-semibold underline underline-offset-2"
      >
        {words.reloadPage}
      </button>
    </p>
  )
}
