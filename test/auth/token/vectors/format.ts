import { Buffer } from 'node:buffer'
import { body, good, head, nested, ofLength, part, parts, signed, text, type Vectors } from './fixtures.ts'

/** Tokens whose format is invalid. */
export const badFormat: Vectors = {
  'an empty token': '',
  'one part': 'abc',
  'two parts': parts.slice(0, 2).join('.'),
  'four parts': `${parts.join('.')}.${parts[2]}`,
  'an empty header': part(0, () => ''),
  'an empty payload': part(1, () => ''),
  'an empty signature': part(2, () => ''),
  'a padded header': part(0, each => `${each}=`),
  'a padded payload': part(1, each => `${each}==`),
  'a padded signature': part(2, each => `${each}==`),
  'spare bits in the signature': part(2, spareBit),
  'base64 instead of base64url': part(2, each => `${each.slice(0, -4)}+/Aw`),
  'a blank inside': part(1, each => `${each.slice(0, 5)} ${each.slice(5)}`),
  'a line break at the end': `${parts.join('.')}\n`,
  'a token over 8192 bytes': ofLength(8193),
  'a token of 1 MB': ofLength(1_000_000),
  'a header that is not JSON': signed('{alg}', body),
  'a payload that is not JSON': signed(head, '{"iss"'),
  'a header that is an array': signed('[]', body),
  'a header that is null': signed('null', body),
  'a payload that is an array': signed(head, '[]'),
  'a payload that is null': signed(head, 'null'),
  'a payload that is a string': signed(head, '"x"'),
  'a byte order mark before the payload': signed(head, `\uFEFF${text(body)}`),
  'a payload that is not UTF-8': signed(head, Buffer.from(text(body, ',"x":"\xff"'), 'latin1')),
  'a header that is not UTF-8': signed(Buffer.from(text(head, ',"x":"\xff"'), 'latin1'), body),
  'an overlong UTF-8 sequence': signed(head, Buffer.from(text(body, ',"x":"\xc0\xaf"'), 'latin1')),
  'a header member twice': signed(text(head, ',"alg":"RS256"'), body),
  'a claim twice': signed(head, text(body, ',"sub":"machine"')),
  'a claim twice, once with an escaped name': signed(head, text(body, ',"su\\u0062":"machine"')),
  'a nested member twice': signed(head, text(body, ',"x":[{"a":1,"b":{"c":":","c":2}}]')),
  'a member twice, the first one nested': signed(head, text(body, ',"x":{"y":{"z":1}},"x":1')),
  '__proto__ twice': signed(head, text(body, ',"__proto__":{},"__proto__":{}')),
  'nesting of one level too many': good.sign({ x: nested(10) }),
  'nesting of a thousand levels': good.sign({ x: nested(1000) }),
}

/** The last character of a part carries bits that no byte uses. */
function spareBit(each: string) {
  const last = each.at(-1) as string
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return each.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1]
}
