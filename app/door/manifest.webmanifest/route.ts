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
  background_color: '#17171a',
  theme_color: '#17171a',
  icons: [{ src: '/icon.svg', type: 'image/svg+xml', sizes: 'any' }],
}

export const GET = () => Response.json(MANIFEST, { headers: { 'Content-Type': 'application/manifest+json' } })
