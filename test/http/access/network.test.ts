import { describe, expect, test } from 'vitest'
import { networkOf } from '../../../src/http/access/network.js'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

describe('the network of an address is', () => {
  test.each([
    ['an IPv4 address', '192.0.2.1', '192.0.2.1'],
    ['an IPv4 address that is mapped', '::ffff:192.0.2.1', '192.0.2.1'],
    ['the same in capital letters', '::FFFF:192.0.2.1', '192.0.2.1'],
    ['the first 64 bits of a whole IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['those of a short one', '2001:db8::1', '2001:db8:0:0'],
    ['zeros in the first half', '2001:db8:0:2::', '2001:db8:0:2'],
    ['zeros in the middle', '2001:0db8:00a1::7:8', '2001:db8:a1:0'],
    ['the loopback address', '::1', '0:0:0:0'],
    ['the unspecified address', '::', '0:0:0:0'],
    ['an address with a zone', 'fe80::1:2:3%eth0', 'fe80:0:0:0'],
    ['an IPv4 address in an IPv6 address', '64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['an IPv4 address behind zeros', '::192.0.2.1', '0:0:0:0'],
    ['no address', '', ''],
    ['no address that is known', 'anything', 'anything'],
  ])('%s', (_, address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test('the same for all forms of an address, and for all addresses of a network', () => {
    const seed = testSeed()
    console.log(`seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < 1_000; run++) {
      const groups = Array.from({ length: 8 }, () => (below(random, 3) === 0 ? 0 : below(random, 65_536)))
      const text = groups.map((group) => group.toString(16)).join(':')
      // The URL parser writes addresses in their shortest form.
      const short = new URL(`http://[${text}]`).hostname.slice(1, -1)
      const padded = groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':')
      const wanted = text.split(':').slice(0, 4).join(':')
      expect([text, short, padded].map(networkOf)).toEqual([wanted, wanted, wanted])
    }
  })
})
