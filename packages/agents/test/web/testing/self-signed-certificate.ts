import { generateKeyPairSync, sign } from 'node:crypto'

/** Returns a key and a certificate for one host name, both in PEM. Clients trust it only if they are told to. */
export function selfSignedCertificate(name: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    commonName(name),
    sequence(time(-1), time(1)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(isAuthority, subjectNames(name))),
  )
  const signature = tagged(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const base64 = sequence(signed, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function sequence(...contents: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...contents)
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]))
}

function identifier(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

const algorithm = sequence(identifier('2a8648ce3d040302')) // ecdsa-with-SHA256
const isAuthority = sequence(identifier('551d13'), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))))

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(name)))))
}

function subjectNames(name: string): Buffer {
  return sequence(identifier('551d11'), tagged(0x04, sequence(tagged(0x82, Buffer.from(name)))))
}

function time(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')
  return tagged(0x18, Buffer.from(text))
}
