import { expect, test } from 'vitest'
import { seededRandom } from '../../src/demo/seeded-random.ts'
import { canonicalAddress, isPublicAddress } from '../../src/web/guard/address-guard.ts'
import { nonPublicIPv4, nonPublicIPv6 } from './testing/non-public-urls.ts'

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '93.184.215.14',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2A00:1450:4001:0:0:0:0:200E',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
])('%s is public', address => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.192',
  '192.88.99.1',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:FFFF:169.254.169.254',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '::8.8.8.8',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::8.8.8.8',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
])('%s is not public', address => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  '',
  'localhost',
  'example.com',
  '127.1',
  '2130706433',
  '0x8.8.8.8',
  '8.8.8.08',
  '8.8.8.8.',
  ' 8.8.8.8',
  '[2606:4700:4700::1111]',
  '2606:4700:4700::1111%eth0',
  'fe80::1%lo',
  '1::2::3',
])('%j, which is no plain address, is not public', text => {
  expect(isPublicAddress(text)).toBe(false)
})

test('no address of a closed range is public, over 20,000 of them', () => {
  const random = seededRandom(1)
  for (let index = 0; index < 10_000; index += 1) {
    const v4 = nonPublicIPv4(random).join('.')
    const v6 = nonPublicIPv6(random)
    expect(isPublicAddress(v4), v4).toBe(false)
    expect(isPublicAddress(v6), v6).toBe(false)
  }
})

test('two notations of one address are the same', () => {
  expect(canonicalAddress('2001:DB8:0:0::1')).toBe(canonicalAddress('2001:db8::0.0.0.1'))
  expect(canonicalAddress('::ffff:7f00:1')).toBe('127.0.0.1')
  expect(canonicalAddress('fe80::1%eth0')).toBe(canonicalAddress('fe80:0::1'))
  expect(canonicalAddress('fe80::1')).not.toBe(canonicalAddress('fe80::2'))
  expect(canonicalAddress('example.com')).toBeUndefined()
})
