import type { DemoLanguage } from './english.ts'
import { richTextInChinese } from './samples.ts'

/** What the demo model says in Chinese. */
export const demoChinese: DemoLanguage = {
  scenarios: {
    brokenAgent:
      '出错的智能体 | 子智能体中途出错，主智能体如何应对 | 我请教 `clumsy`，它的模型会在途中出错。 | ask clumsy: 讲一个有结尾的故事。',
    parallelAgents:
      '并行 | 两个子智能体同时工作 | 我同时请两位研究员，各查一座城市。 | ask researcher: 查一下北京现在的气温，换算成华氏度。 | ask researcher: 查一下上海现在的气温，换算成华氏度。',
    delegate:
      '委派 | 把任务交给子智能体，它再去请教另一个（可以写上城市名） | 这件事我交给研究员 `researcher`，它查完之后还会请 `checker` 核对。 | ask researcher: 查一下{city:上海}现在的气温，换算成华氏度，然后请人核对。',
    approve:
      '审批 | 一次要等您批准或拒绝的工具调用 | 我想发送一份报告。这个工具需要您批准，在您决定之前什么都不会发生。 | call send_report: {"to":"team@example.com","text":"一切正常。"}',
    refuse:
      '拒绝 | 不存在或不允许请教的智能体，以及拒绝的内容 | 我请教一个不存在的智能体，同时让 `researcher` 去请教一个它无权请教的智能体。 | ask astronaut: 从上面看看天气。 | ask researcher: 请教一下 clumsy。',
    browser:
      '浏览器 | 在真正的浏览器里工作的子智能体（需要已安装浏览器） | 我请 `browser` 打开演示页面、填写表单并截图。 | ask browser: 演示页面 {url} ：打开它，在表单里填写名字并提交，然后截图。',
    openPage:
      '打开网页 | 在对话旁边打开一个网页（由您点击） | 我为您提供一个网页。 | call open-url: {"url":"https://example.com/","title":"Example Domain"}',
    fail: '失败 | 一次失败的工具调用，以及如何应对 | 好的，我来查询一个不存在的城市的天气，这次工具调用会失败。 | call weather: {"city":"Atlantis"}',
    error:
      '错误 | 模型在回答途中出错中断 | 这个回答一开始很正常，但是脚本安排它在写完之前就 | fail: The demo model broke off in the middle of its answer, as the script says.',
    tools:
      '工具 | 一步之内并行调用多个工具 | 我会在一步之内调用 {count} 个工具。 | call current_time: {"timeZone":"Asia/Shanghai"} | call calculator: {"expression":"(17 + 4) * 2 ^ 3"} | call weather: {"city":"上海"}',
    weather:
      '天气 | 文字、工具调用、再根据结果继续回答（可以写上城市名） | 我来查一下{city:北京}的天气。 | call weather: {"city":"{city:北京}"}',
    think:
      '思考 | 先推理，再回答 | think: 先说实话：这里并没有真正的思考，这几行是按脚本念出来的，用来展示推理内容在流式输出时的样子。 | think: 假设有三个盒子：一个装苹果，一个装梨，一个两样都有，而标签全都贴错了。先打开标着“两样都有”的那个：拿出来的水果就是它唯一的内容，另外两个也随之确定。\n\n所以只需要看一次。 | 打开标着“两样都有”的盒子看一次就够了。以上推理来自脚本：我是演示模型，并不会真的思考。',
    rich: '公式 | 公式、图表、任务、脚注、来源和彩色代码 | {rich} | source https://commonmark.org/: CommonMark | source https://katex.org/docs/supported.html: What KaTeX supports',
    markdown: '代码 | 标题、列表、代码、表格和引用 | 下面是一段固定的英文 Markdown 示例。\n\n | {markdown}',
    long: '长文 | 三千多词的长回答：可以中途停止、刷新页面，或在另一个窗口里观看 | 下面是脚本演示模型随机拼成的一篇英文长文，可以随时停止。\n\n | long: 3200',
    help: '帮助 | 这份列表 | 我是按脚本运行的演示模型，不是语言模型。输入下面任意一个词：\n\n{list}',
    hello:
      '你好 | 中文回答，中间调用一次工具 | {greeting}下面先用工具看看{city:北京}的天气。 | call weather: {"city":"{city:北京}"}',
  },
  scripts: {
    lookUp: '我是研究员，先查{city:上海}的天气。 | call weather: {"city":"{city:上海}"}',
    convert: '气温是 {celsius} °C，换算一下。 | call calculator: {"expression":"{celsius} * 9 / 5 + 32"}',
    haveChecked: '请 `checker` 核对。 | ask checker: 核对：{celsius} °C 等于 {fahrenheit} °F。',
    askForbidden: '我试着请教 `clumsy`。 | ask clumsy: 你怎么看？',
    stumble:
      '从前有一个智能体，它小心地拿起一个花瓶，然后 | fail: The demo agent clumsy dropped the vase, as the script says.',
    openPage: '我打开页面。 | call browser_navigate: {"url":"{url}"}',
    fillForm: '接着填写表单。 | call browser_type: {"selector":"input[name=name]","text":"小明"}',
    sendForm: '提交。 | call browser_click: {"selector":"button"}',
    takeScreenshot: '最后截图。 | call browser_screenshot: {}',
  },
  texts: {
    greeting:
      '你好！您说的是“{quote}”。我是按脚本运行的演示模型，不是真正的语言模型，输入“帮助”可以看到我能演示什么。{unread}',
    quoted: '',
    unread: '您附上的 {files} 个文件我读不了。',
    toListItem: '- **{keyword}**：{shows}',
    comma: '、',
    and: '、',
    space: '',
    missingTools: '这里没有提供工具 {tools}，所以无法调用。',
    missingAgents: '这里没有智能体 {agents}，所以无法请教。',
    missingPage: '这里没有可以打开的演示页面。',
    noResults: '没有工具结果可以继续说明。',
    results: '工具返回了这些结果：\n\n{results}\n\n',
    afterFailure: '工具失败并不会中断对话，您可以换个问法再试。',
    afterSuccess: '以上内容由脚本演示模型根据工具结果写成。',
    toolFailed: '工具 `{tool}` 失败了，它的原话是：“{reason}”',
    toolSaid: '工具 `{tool}` 的回答是：{value}',
    weather:
      '{city}现在{sky}，气温 {temperatureCelsius} °C，湿度 {humidityPercent} %，风速 {windKilometresPerHour} km/h（演示数据，并非真实天气）。',
    sum: '计算器的结果：`{expression}` 等于 **{result}**。',
    clock: '{timeZone} 的当前时间是 {localTime}。',
    taskDone: '任务完成了。',
    taskRefused: '`{code}`：“{message}”',
    noNumber: '报告里没有气温，所以我无法下结论。',
    noReport: '没有得到报告：{outcome}。所以我无法下结论。',
    checkedConclusion: '结论：{advice}',
    conclusion: '结论：{advice}',
    adviceWarm: '穿得轻便些就好。',
    adviceMild: '带一件外套就够了。',
    adviceCold: '请穿上厚大衣。',
    equallyWarm: '结论：两座城市一样暖和。',
    firstWarmer: '结论：第一座城市更暖和，相差 {gap} 度。',
    secondWarmer: '结论：第二座城市更暖和，相差 {gap} 度。',
    broken: '`clumsy` 没有完成任务。我得到的结果是 {outcome}。它说过的话保留着，而我可以继续回答。',
    refused:
      '`astronaut` 没有被请到：{outcome}。{refusedToo}拒绝是一个普通的结果，模型读到之后可以另想办法。',
    refusedToo: '`researcher` 自己也被拒绝了，原因写在它的消息里。',
    notSent: '什么都没有发送。工具的回答是：“{reason}”',
    sent: '您批准了，报告已经“发送”给 {to}（演示工具，并没有真的发出）。',
    browserFailed: '浏览器没有成功：{outcome}。',
    browserGaveUp: '浏览器没有走到最后，原因写在它的消息里。',
    browserDone: '以上就是一个智能体在真正的浏览器里的工作。',
    offered: '网页只有在您点击之后才会打开：智能体只能提议，不能替您打开。',
    formSent: '表单已经提交，截图也有了。',
    finding: '结果：{celsius} °C，也就是 {fahrenheit} °F{verdict}。',
    checked: '，并且核对过了',
    unchecked: '，但没能核对',
    withoutNumbers: '工具没有给出我需要的数字。',
    mayNotAsk: '不行：{outcome}。',
    nothingToCheck: '没有可以核对的数字。',
    checking: '反过来算：({fahrenheit} − 32) × 5 ÷ 9，看看是否回到 {celsius}。',
    right: '核对结果：正确。',
    wrong: '核对结果：不正确。',
  },
  richText: richTextInChinese,
  maxQuoteChars: 41,
}
