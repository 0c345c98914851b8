import { expect, it } from 'vitest'
import { webhookHeaders } from './sign-webhook'

// The example of the Standard Webhooks specification.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"test": 2432232314}'
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const now = new Date(1614265330_000)

it('signs a webhook as the specification does', () => {
  expect(webhookHeaders(id, body, [secret], now)).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('signs with every secret, and without one not at all', () => {
  const { 'webhook-signature': both } = webhookHeaders(id, body, [secret, 'whsec_AAAA'], now) as Record<
    string,
    string
  >
  expect(both?.split(' ')).toEqual([
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    expect.stringMatching(/^v1,.{44}$/),
  ])
  expect(webhookHeaders(id, body, [], now)).not.toHaveProperty('webhook-signature')
})
