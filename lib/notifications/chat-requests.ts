import type { TargetConfig } from './contract'
import type { ClaimedDelivery } from './outbox'
import { type Message, toMessage } from './payload'
import type { OutgoingRequest } from './send-request'

type Chat = Exclude<TargetConfig, { kind: 'webhook' | 'email' }>

/** The request that posts a message to a chat. */
export function chatRequest(config: Chat, delivery: ClaimedDelivery): OutgoingRequest {
  const message = toMessage(delivery)
  switch (config.kind) {
    case 'slack':
      return { url: config.url, body: JSON.stringify({ text: toSlackText(message), unfurl_links: false }) }
    case 'discord':
      // A job named @everyone must notify nobody.
      return {
        url: config.url,
        body: JSON.stringify({ content: toDiscordText(message), allowed_mentions: { parse: [] } }),
      }
    case 'matrix':
      return matrixRequest(config, message, delivery.id)
    default:
      return config satisfies never
  }
}

/** Slack reads `<` as the start of a link or a mention. */
function toSlackText({ title, text, url }: Message): string {
  const quote = (part: string) => part.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  return [quote(title), quote(text), url].filter(Boolean).join('\n')
}

/** Discord reads Markdown. It refuses more than 2000 characters. */
function toDiscordText({ title, text, url }: Message): string {
  const quote = (part: string) => part.replace(/[\\*_~`|>#@<[\]()-]/g, '\\$&')
  return [quote(title), quote(text).slice(0, 1400), url].filter(Boolean).join('\n')
}

/** The id of the transaction is the id of the message: the server stores a repeated one only once. */
function matrixRequest(
  { homeserver, room_id: room, access_token: token }: Extract<Chat, { kind: 'matrix' }>,
  { title, text, url }: Message,
  id: string,
): OutgoingRequest {
  const path = `_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${id}`
  return {
    method: 'PUT',
    url: `${homeserver.replace(/\/+$/, '')}/${path}`,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ msgtype: 'm.notice', body: [title, text, url].filter(Boolean).join('\n') }),
  }
}
