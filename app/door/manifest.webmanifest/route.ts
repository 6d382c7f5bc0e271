/** GET /door/manifest.webmanifest: lets browsers install the check-in page as an app. */
import { doorCopy } from '@/app/copy/door'
import { shopCopy } from '@/app/copy/shop'

const MANIFEST = {
  name: `${doorCopy.title} · ${shopCopy.name}`,
  short_name: doorCopy.title,
  id: '/door',
  start_url: '/door',
  scope: '/door',
  display: 'standalone',
  display_override: ['fullscreen', 'standalone'],
  background_color: '#17171a',
  theme_color: '#17171a',
  icons: [
    { src: '/door-icon-192.png', type: 'image/png', sizes: '192x192' },
    { src: '/door-icon-512.png', type: 'image/png', sizes: '512x512' },
    { src: '/door-icon-maskable-512.png', type: 'image/png', sizes: '512x512', purpose: 'maskable' },
  ],
}

export const GET = () => Response.json(MANIFEST, { headers: { 'Content-Type': 'application/manifest+json' } })
