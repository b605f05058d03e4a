import { useSettings } from '../settings/settings.tsx'

const english = {
  newTab: 'Open in a new tab',
  close: 'Close the page',
  resize: 'Width of the page',
  mayRefuse: 'Empty? Some sites do not allow being shown inside other pages.',
}

const chinese: typeof english = {
  newTab: '在新标签页打开',
  close: '关闭网页',
  resize: '网页宽度',
  mayRefuse: '没有内容？有些网站不允许嵌入其他页面。',
}

/** Returns the words of the opened page, in the language of the person. */
export function useOpenedPageWords(): typeof english {
  return useSettings().language === 'zh' ? chinese : english
}
