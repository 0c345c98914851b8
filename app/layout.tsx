import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { ServerClock } from '@/components/shell/clock/server-clock'
import { UiProviders } from '@/components/ui/ui-providers'
import './globals.css'

// Subsets: `npm run fonts`.
const sans = localFont({ src: './fonts/geist-sans.woff2', variable: '--font-geist-sans', weight: '400 700' })
const mono = localFont({ src: './fonts/geist-mono.woff2', variable: '--font-geist-mono', weight: '400 700' })

export const metadata: Metadata = {
  title: { default: 'gpuq', template: '%s · gpuq' },
  description: 'A GPU job queue for labs, classes and competitions',
  icons: {
    icon: [
      { url: '/icon.svg', type: 'image/svg+xml' },
      { url: '/favicon.ico', sizes: '32x32' },
    ],
  },
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fafafb' },
    { media: '(prefers-color-scheme: dark)', color: '#0e0e11' },
  ],
}

/**
 * Reading the nonce makes Next.js render every page per request, which a nonce needs. The theme's class is set before
 * the first paint, so it may differ from the server's HTML.
 */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce')
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`} suppressHydrationWarning>
      <body>
        <UiProviders {...(nonce ? { nonce } : {})}>
          {/* The first focusable element: skips the navigation. */}
          <a
            href="#main"
            className="sr-only rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent text-sm focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
          >
            Skip to content
          </a>
          {children}
          <ServerClock />
        </UiProviders>
      </body>
    </html>
  )
}
