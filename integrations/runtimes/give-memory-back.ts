// A thread with nothing to do whose heap seems to grow. It lives on, whether its engine can be told to collect or not.
import { giveMemoryBack } from '@throughline/store'

let held = 0
let looks = 0
const end = giveMemoryBack({
  periodMs: 1,
  utilization: () => 0,
  heldBytes: () => {
    looks += 1
    held += 100 * 1024 * 1024
    return held
  },
})
const untilLooked = setInterval(() => {
  if (looks < 4) return
  clearInterval(untilLooked)
  end()
  console.log('lives on')
}, 1)
// An engine without a collector is asked once, and then no more.
setTimeout(() => {
  looks = 4
}, 1_000).unref()
