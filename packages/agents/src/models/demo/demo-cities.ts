/** Invented weather of real cities. It is the same on every day, so that answers can be compared. */
export type DemoCity = {
  readonly name: string
  readonly chineseName: string
  readonly temperatureCelsius: number
  readonly sky: DemoSky
  readonly humidityPercent: number
  readonly windKilometresPerHour: number
}

export type DemoSky = keyof typeof skyInChinese

export const skyInChinese = {
  sunny: '晴',
  'partly cloudy': '多云',
  cloudy: '阴',
  foggy: '雾',
  rainy: '小雨',
  stormy: '雷阵雨',
  snowy: '小雪',
} as const

export const demoCities: readonly DemoCity[] = [
  city(['Beijing', '北京'], 'sunny', [19, 34, 12]),
  city(['Shanghai', '上海'], 'rainy', [22, 81, 16]),
  city(['Guangzhou', '广州'], 'stormy', [29, 88, 21]),
  city(['Shenzhen', '深圳'], 'partly cloudy', [28, 79, 18]),
  city(['Chengdu', '成都'], 'foggy', [17, 84, 5]),
  city(['Hangzhou', '杭州'], 'cloudy', [21, 72, 9]),
  city(['Hong Kong', '香港'], 'partly cloudy', [27, 76, 20]),
  city(['Taipei', '台北'], 'rainy', [25, 83, 14]),
  city(['Tokyo', '东京'], 'sunny', [20, 52, 13]),
  city(['Seoul', '首尔'], 'cloudy', [16, 58, 11]),
  city(['Singapore', '新加坡'], 'stormy', [31, 86, 10]),
  city(['Mumbai', '孟买'], 'partly cloudy', [32, 74, 15]),
  city(['Sydney', '悉尼'], 'sunny', [23, 48, 19]),
  city(['Cairo', '开罗'], 'sunny', [33, 22, 17]),
  city(['Nairobi', '内罗毕'], 'partly cloudy', [24, 55, 12]),
  city(['London', '伦敦'], 'rainy', [13, 78, 22]),
  city(['Lisbon', '里斯本'], 'sunny', [21, 58, 17]),
  city(['Paris', '巴黎'], 'cloudy', [15, 66, 14]),
  city(['Berlin', '柏林'], 'partly cloudy', [14, 61, 18]),
  city(['Reykjavik', '雷克雅未克'], 'snowy', [-2, 70, 31]),
  city(['New York', '纽约'], 'sunny', [18, 45, 24]),
  city(['San Francisco', '旧金山'], 'foggy', [14, 82, 19]),
  city(['São Paulo', '圣保罗'], 'stormy', [26, 77, 13]),
]

function city(names: readonly [string, string], sky: DemoSky, [celsius, humidity, wind]: Numbers): DemoCity {
  return {
    name: names[0],
    chineseName: names[1],
    temperatureCelsius: celsius,
    sky,
    humidityPercent: humidity,
    windKilometresPerHour: wind,
  }
}

type Numbers = readonly [celsius: number, humidityPercent: number, windKilometresPerHour: number]
