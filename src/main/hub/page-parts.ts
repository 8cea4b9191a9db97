// SPDX-License-Identifier: Apache-2.0
// The page's parts of a hub: its files, its login, and the paths that accept its cookie.
import { join } from "node:path";
import { toLoginLink } from "../../cli/hub/login-link.ts";
import { createLogins, type LoginOptions } from "../../hub/login/login-service.ts";
import { bearerCredential, type CredentialReader } from "../../rpc/auth/authenticate.ts";
import { createCookieCredential } from "../../rpc/auth/session-cookie.ts";
import type { Route } from "../../rpc/http/route.ts";
import { type PageFiles, readPageFiles } from "../../rpc/page/page-files.ts";
import { createPageRoutes } from "../../rpc/page/page-routes.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import { findPackageFolder } from "../../store/package-folder.ts";

/** The built page; the same path in the repository and in the package. */
const pageFolder = join(findPackageFolder(import.meta.dirname), "ui", "dist");

/** The services that the page calls. */
const pageServices: readonly string[] = ["page", "fleet", "query", "admin"];

/**
 * Paths that the page calls. Agents', tunnels' and workspaces' services are not included: there the cookie is ignored
 * (PG3).
 */
const cookiePaths: readonly string[] = [...pageServices.map((name) => `/flotilla.${name}.`), "/health"];

/** What a hub serves for its page. */
export interface PageParts {
  readonly services: readonly ServiceEntry[];
  readonly routes: readonly Route[];
  readonly credentials: readonly CredentialReader[];
  /** Creates a link that logs in once as the token's user (PG4); undefined if the hub was built without the page. */
  readonly createLink: ((baseUrl: string, tokenId: string) => string) | undefined;
}

/**
 * The built page; undefined if it was not built. Read once, so that the served files and the reported version agree
 * (PG26).
 */
export function readBuiltPage(): PageFiles | undefined {
  return readPageFiles(pageFolder);
}

export function createPageParts(options: LoginOptions, files = readBuiltPage()): PageParts {
  const logins = createLogins(options);
  return {
    services: [logins.service],
    routes: createPageRoutes(files),
    credentials: [bearerCredential, createCookieCredential({ hubName: options.hubName, paths: cookiePaths })],
    createLink:
      files === undefined ? undefined : (baseUrl, tokenId) => toLoginLink(baseUrl, logins.createCode(tokenId)),
  };
}
