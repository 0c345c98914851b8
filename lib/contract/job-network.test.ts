import { describe, expect, it } from 'vitest'
import { addressOf, mostRanks, readJobNetworks, subnetOf } from './job-network'

const range = readJobNetworks('10.213.0.0/16')

describe('the range of an admin', () => {
  it('is cut into subnets, the same for everyone who reads it', () => {
    expect(range.count).toBe(4096)
    expect(subnetOf(range, 0)).toEqual({ cidr: '10.213.0.0/28', vni: 0xad5000 })
    expect(subnetOf(range, 17).cidr).toBe('10.213.1.16/28')
    expect(subnetOf(range, 4095)).toEqual({ cidr: '10.213.255.240/28', vni: 0xad5fff })
    expect(readJobNetworks('192.168.7.0/24').count).toBe(16)
    expect(readJobNetworks('10.0.0.0/8').count).toBe(4096)
  })

  it('gives no two tasks of any two attempts one address, and stays within itself', () => {
    const seen = new Set<string>()
    for (let index = 0; index < range.count; index++)
      for (let rank = 0; rank < mostRanks; rank++) seen.add(addressOf(range, index, rank))
    expect(seen.size).toBe(4096 * mostRanks)
    expect([...seen].every((address) => address.startsWith('10.213.'))).toBe(true)
    expect(addressOf(range, 1, 0)).toBe('10.213.0.18')
    // Never the network's own, the gateway's or the broadcast address.
    for (const taken of ['10.213.0.16', '10.213.0.17', '10.213.0.31']) expect(seen).not.toContain(taken)
  })

  it('is refused where it is none, is not private, or does not begin at its beginning', () => {
    for (const wrong of [
      '',
      '10.213.0.0',
      '10.213.0.0/33',
      '10.256.0.0/16',
      'fd00::/64',
      '10.213.0.0/29',
      '0.0.0.0/0',
      '10.213.1.0/16',
      '8.8.0.0/16',
      '172.0.0.0/8',
      '192.168.0.0/12',
    ])
      expect(() => readJobNetworks(wrong), wrong).toThrow(/must/)
  })

  it('has no subnet beyond its end, and no address for a task too many', () => {
    expect(() => subnetOf(readJobNetworks('192.168.7.0/24'), 16)).toThrow(/GPUQ_JOB_NETWORKS holds 16/)
    expect(() => addressOf(range, 0, mostRanks)).toThrow()
  })
})
