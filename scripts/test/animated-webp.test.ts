import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { expect, test } from 'vitest'
import { animatedWebp } from '../animation/animated-webp.ts'
import { encodeFrames } from '../animation/encode-frames.ts'

test('a browser shows the pictures in the animation with nearly their colours, each for its time, and equal ones once', async () => {
  await using chromium = await sharedBrowser()
  const size = { width: 31, height: 22 }
  const page = await chromium.browser.newPage({ viewport: size })
  const shots = []
  for (const left of [0, 0, 7, 13]) {
    await page.setContent(
      `<body style="margin:0;background:#eee"><i style="position:absolute;left:${left}px;top:5px;width:9px;height:9px;background:#c33">`,
    )
    shots.push({ png: await page.screenshot(), durationMs: 100 + left })
  }
  const file = animatedWebp(size, await encodeFrames(chromium.browser, shots))
  // The decoder is there for secure pages only, and localhost counts as one.
  await page.route('http://localhost/', route => route.fulfill({ body: '' }))
  await page.goto('http://localhost/')
  const shown = await page.evaluate(framesOf, Buffer.from(file).toString('base64'))
  const pixel = (red: readonly number[]) => [0, 7, 13].map(x => (red.includes(x) ? 0xcf : 0xef))
  expect(shown).toEqual([
    { durationMs: 200, reds: pixel([0, 7]) },
    { durationMs: 107, reds: pixel([7, 13]) },
    { durationMs: 113, reds: pixel([13]) },
  ])
})

/** Runs in the page. Returns the time of each frame, and how red three of its points are. */
async function framesOf(base64: string) {
  const data = await (await fetch(`data:image/webp;base64,${base64}`)).arrayBuffer()
  const decoder = new ImageDecoder({ type: 'image/webp', data })
  await decoder.tracks.ready
  const frames = []
  for (let index = 0; index < (decoder.tracks.selectedTrack?.frameCount ?? 0); index += 1) {
    const { image } = await decoder.decode({ frameIndex: index })
    const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext('2d')
    canvas?.drawImage(image, 0, 0)
    const redAt = (x: number) => canvas?.getImageData(x, 8, 1, 1).data[0]
    frames.push({ durationMs: (image.duration ?? 0) / 1_000, reds: [0, 7, 13].map(redAt) })
  }
  return frames
}
