import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { SettingsProvider } from './settings/settings.tsx'
import './styles.css'

const page = document.getElementById('page')
if (page !== null) {
  createRoot(page).render(
    <StrictMode>
      <SettingsProvider>
        <App />
      </SettingsProvider>
    </StrictMode>,
  )
}
