import type { Language } from '../settings/words.ts'

const english = {
  picture: (number: number, all: number) => `Picture ${number} of ${all}`,
  previous: 'Previous picture',
  next: 'Next picture',
  close: 'Close',
}

const chinese: typeof english = {
  picture: (number, all) => `第 ${number} 张图片，共 ${all} 张`,
  previous: '上一张图片',
  next: '下一张图片',
  close: '关闭',
}

/** The words of the picture viewer. */
export const pictureWords: Readonly<Record<Language, typeof english>> = { en: english, zh: chinese }
