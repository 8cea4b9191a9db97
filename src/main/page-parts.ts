// SPDX-License-Identifier: Apache-2.0
// What a hub serves of its page: the files, the login, and where the cookie counts.
import { join } from "node:path";
import { toLoginLink } from "../cli/login-link.ts";
import { createLogins, type LoginOptions } from "../hub/login/login-service.ts";
import { bearerCredential, type CredentialReader } from "../rpc/authenticate.ts";
import type { ServiceEntry } from "../rpc/connect-router.ts";
import { type PageFiles, readPageFiles } from "../rpc/page-files.ts";
import { createPageRoutes } from "../rpc/page-routes.ts";
import type { Route } from "../rpc/route.ts";
import { createCookieCredential } from "../rpc/session-cookie.ts";
import { findPackageFolder } from "../store/package-folder.ts";

/** The built page, in the repository and in the package alike. */
const pageFolder = join(findPackageFolder(import.meta.dirname), "ui", "dist");

/** The services that the page calls. */
const pageServices: readonly string[] = ["page", "fleet", "query", "admin"];

/** What the page calls. Agents, tunnels and workspaces are not among it: there the cookie is as if it were not sent (PG3). */
const cookiePaths: readonly string[] = [...pageServices.map((name) => `/flotilla.${name}.`), "/health"];

/** The page's share of a hub. */
export interface PageParts {
  readonly services: readonly ServiceEntry[];
  readonly routes: readonly Route[];
  readonly credentials: readonly CredentialReader[];
  /** Makes a link that logs in as the user of this token, once (PG4); undefined where the hub was built without the page. */
  readonly createLink: ((baseUrl: string, tokenId: string) => string) | undefined;
}

/** The page as it was built; undefined where it was not. Read once: what the hub serves and what it says of it are of one moment (PG26). */
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
