import type { UIMessage } from 'ai'
import { mount } from 'svelte'
import { loadHistory, pageRoot } from '../player/page-client.ts'
import Page from './page.svelte'

mount(Page, { target: pageRoot(), props: { history: await loadHistory<UIMessage>() } })
