/** next-auth's routes, for signing in and out, and for the session. */
import NextAuth from 'next-auth'
import { routeOptions } from '@/app/auth'

const handler = NextAuth(routeOptions)

export { handler as GET, handler as POST }
