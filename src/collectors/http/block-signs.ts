/**
 * A sign of a protection service. A challenge that a browser passes on its own is `blocked` (a browser or a
 * better proxy helps); one that needs a person is `captcha`.
 */
export interface Sign {
  readonly kind: "blocked" | "captcha" | "rate-limited";
  /** Shown in the failure's detail. */
  readonly name: string;
  readonly pattern: RegExp;
  /** Must match as well. Two patterns instead of one with a gap: no text makes them slow. */
  readonly and?: RegExp | undefined;
}

export const isIn = ({ pattern, and }: Sign, text: string): boolean =>
  pattern.test(text) && (and === undefined || and.test(text));

const sign =
  (kind: Sign["kind"]) =>
  (name: string, pattern: RegExp, and?: RegExp): Sign => ({ kind, name, pattern, and });
const blocked = sign("blocked");
const captcha = sign("captcha");

/** Response headers that only an intervening service sets on its own answers, by header name. */
export const HEADER_SIGNS: Readonly<Record<string, readonly Sign[]>> = {
  "cf-mitigated": [blocked("Cloudflare challenge", /./)],
  "x-amzn-waf-action": [captcha("AWS WAF captcha", /captcha/i), blocked("AWS WAF challenge", /./)],
  "x-vercel-mitigated": [blocked("Vercel checkpoint", /./)],
  "x-sucuri-block": [blocked("Sucuri firewall", /./)],
  "sg-captcha": [captcha("SiteGround captcha", /./)],
};

/** Headers that count on an error only: good responses may have them too. */
export const ERROR_HEADER_SIGNS: Readonly<Record<string, readonly Sign[]>> = {
  "x-kpsdk-ct": [blocked("Kasada challenge", /./)],
  "x-kpsdk-r": [blocked("Kasada challenge", /./)],
  "x-dd-b": [blocked("DataDome", /./)],
};

/**
 * Marks in tags, scripts and comments that only interstitials carry, the most reliable first. Left out on purpose is what vendors put into good
 * pages: sensor scripts and their cookies (`_abck`, `datadome`, `_px`, `reese84`), Cloudflare's `challenge-platform/scripts/jsd`,
 * Incapsula's `SWJIYLWA`, F5's `/TSPD/`, AWS WAF's `challenge.js`, Kasada's `p.js`, and the widgets of captcha vendors.
 */
export const CODE_SIGNS: readonly Sign[] = [
  captcha("Cloudflare captcha", /chk_captcha|__cf_chl_captcha|cf-captcha-container/),
  captcha("Cloudflare captcha", /_cf_chl_opt/, /cType: ?['"]interactive/),
  captcha("DataDome captcha", /captcha-delivery\.com\/(?:captcha|c\.js)|\bdd ?= ?\{ ?['"]rt['"] ?: ?['"]c/),
  captcha(
    "HUMAN captcha",
    /\bid=["']?px-captcha\b(?!-)|\/captcha\/PX\w+\/captcha\.js|\/captcha\.js\?a=c&|px-c(?:loud|dn)\.net\/[^"'<>]{0,200}captcha/,
  ),
  captcha("HUMAN captcha", /["']blockScript["'] ?: ?["']/),
  captcha("AWS WAF captcha", /\bgokuProps\b/, /\bAwsWafCaptcha\b|captcha-container/),
  captcha("Radware captcha", /perfdrive\.com\/(?:captcha|\?ssa=)|validate\.perfdrive\.com/),
  captcha("Google captcha", /<form id="captcha-form" action="index"/),
  captcha("Amazon captcha", /\/errors\/validateCaptcha/),
  captcha("Yandex captcha", /CheckboxCaptcha-(?:Form|Button)|\/checkcaptcha\?key=/),
  captcha("SiteGround captcha", /\/\.well-known\/(?:sg)?captcha\//),
  captcha("LiteSpeed captcha", /\/\.lsrecap\/recaptcha/),
  captcha("Alibaba captcha", /_____tmd_____\/punish|\/punish\?x5secdata=/),
  captcha("Distil captcha", /distil_r_captcha/),
  blocked(
    "Cloudflare challenge",
    /_cf_chl_opt|jschl[-_](?:answer|vc)|chk_jschl|cf-browser-verification|\b_?_?cf[-_]chl[-_]|\/orchestrate\/(?:chl_page|jsch|managed|captcha)\//,
  ),
  blocked("Sucuri challenge", /sucuri_cloudproxy_js/),
  blocked("Incapsula", /_Incapsula_Resource\?[^"'<>]{0,500}(?:incident_id=|CWUDNSAI=)/),
  blocked("Imperva challenge", /\bonProtectionInitialized\b|\breese84interstitial\b/),
  blocked("DataDome", /captcha-delivery\.com\/|\bdd ?= ?\{ ?['"]rt['"] ?: ?['"]i/),
  blocked(
    "Akamai challenge",
    /\bbm-verify\b|\/_sec\/(?:verify\?provider|cp_challenge)|\bsec-if-cpt-|\bsec-cp-challenge\b/,
  ),
  blocked("Kasada challenge", /\/ips\.js\b/, /\bKPSDK\b|\bKP_UID/),
  blocked("Kasada challenge", /\bKPSDK\.start ?= ?KPSDK\.now\(/),
  blocked("Distil", /distil_r_(?:blocked|drop)|distil_identify_cookie|\/distil_r_/),
  blocked("AWS WAF challenge", /\bgokuProps\b|\bawsWafCookieDomainList\b/),
  blocked(
    "Anubis",
    /\bid=["']anubis_(?:challenge|version|base_prefix)["']|\/\.within\.website\/x\/cmd\/anubis\//,
  ),
  blocked(
    "go-away",
    /\/\.well-known\/[\w.-]*gammaspectra\.live\/git\/go-away\/|\b__goaway_(?:challenge|token|id)\b/,
  ),
  blocked("Vercel checkpoint", /\/\.well-known\/vercel\/security\//),
  blocked("Fastly challenge", /\/_fs-ch-[\w-]+\//),
  blocked("Reblaze challenge", /\bwindow\.rbzns\b|\brbzns ?= ?\{/),
  blocked("StackPath challenge", /\bsbtsck=|\/sbbi\/\?sbbpg=/),
  blocked("DDoS-Guard challenge", /\/\.well-known\/ddos-guard\/|check\.ddos-guard\.net\/check\.js/),
  blocked("Qrator challenge", /\/__qrator\/(?:qauth|validate)/),
  blocked("Imunify360 challenge", /\bwsidchk\b/),
  blocked("Alibaba challenge", /\bacw_sc__v[23]\b/, /\breload\(/),
  blocked("haproxy-protection", /\/\.(?:basedflare|bot-check)\b/),
  blocked("Shape challenge", /\bistlWasHere\b/),
];

/** Each mark contains one of these words. Nearly all pages have none, and searching for plain words costs a tenth. */
export const CODE_WORDS =
  /captcha|chl|ips\.js|-verif|Incapsula|Protection|BlockPage|reese84i|_sec\/|sec-|KPSDK|KP_UID|distil_|goku|awsWaf|anubis|goaway|go-away|well-known|_fs-ch|rbzns|sbtsck|sbbi|ddos-guard|__qrator|wsidchk|acw_sc|basedflare|bot-check|istlWas|punish|perfdrive|blockScript|cloudproxy|orchestrate|lsrecap|validateC/;

/** Sentences of firewalls, `noscript` included: trusted only on a page that says little else. */
export const NOTICE_SIGNS: readonly Sign[] = [
  blocked("F5 firewall", /The requested URL was rejected\. Please consult with your admin/),
  blocked(
    "F5 challenge",
    /Please enable JavaScript to view the page content\.(?:\s|<br ?\/?>)*Your support ID is/i,
  ),
  blocked("Incapsula", /Incapsula incident ID/),
  blocked("Akamai", /\bhttps?:\/\/errors\.edgesuite\.net\//),
  blocked("Imunify360 challenge", /\bplease wait while your request is being verified\b/i),
  blocked("Akamai", /You don't have permission to access /i, /\bReference #\s?[\da-f]{1,20}\.[\da-f]/i),
  blocked("Wordfence", /Generated by Wordfence at /),
  blocked("Radware", /\bUnauthorized (?:Request Blocked|Activity Has Been Detected)\b/i),
  captcha("HUMAN captcha", /\bpress (?:&|and) hold to confirm you are a human\b/i),
  blocked("Sucuri firewall", /\bSucuri Website Firewall\b/i, /\bAccess Denied\b/i),
  blocked("CloudFront", /The request could not be satisfied\./i, /Request blocked\./i),
  blocked("bot check", /\bsomething about your browser made us think you (?:were|might be) a bot\b/i),
];

/** Whole titles of interstitials. Anchored: "Access denied: what error 1020 means" is an article. */
export const TITLE_SIGNS: readonly Sign[] = [
  blocked("Cloudflare challenge", /^just a moment\.{3}$/i),
  blocked("Cloudflare block", /^attention required! \| cloudflare$/i),
  blocked("Cloudflare block", /^access denied \| .+ used cloudflare to restrict access$/i),
  blocked("bot check", /^(?:making sure|checking|verifying) (?:that )?you(?:'re| are) not a (?:ro)?bot!?$/i),
  blocked("bot check", /^(?:checking your browser.*|ddos-guard|vercel security checkpoint)$/i),
  blocked("bot check", /^pardon our interruption(?:\.{3})?$/i),
  captcha("HUMAN captcha", /^access to this page has been denied\.?$/i),
  captcha("Radware captcha", /^radware captcha page$/i),
  blocked("Sucuri firewall", /^sucuri website firewall\b/i),
  blocked("StackPath", /^stackpath$/i),
];

/** Titles that a site's own pages may have too: trusted only on a page that says little else. */
export const BARE_TITLE_SIGNS: readonly Sign[] = [
  captcha(
    "captcha page",
    /^(?:robot check|robot or human\?|human verification|(?:are you|you are) not a robot\??|are you a robot\?|security (?:check|verification))$/i,
  ),
  blocked("bot check", /^(?:client challenge|bot verification)$/i),
  blocked(
    "refusal",
    /^(?:error )?(?:403[ :-]+)?(?:access (?:is )?denied|forbidden|request (?:rejected|blocked)|web page blocked!?|blocked)\.?$/i,
  ),
];

const NOT_IF = "(?<!\\b(?:if|when|why|whether|unless|because|that|case) )";

export const RATE_SIGNS: readonly Sign[] = [
  sign("rate-limited")(
    "rate limit",
    /\btoo many requests\b|\bbeing rate limited\b|\brate limit (?:has been )?exceeded\b/i,
  ),
];

/** Sentences of refusals that record pages do not have; trusted only on a page that says little else. */
export const REFUSAL_SIGNS: readonly Sign[] = [
  blocked(
    "refusal",
    new RegExp(
      `${NOT_IF}\\byour ip(?: address)? (?:\\S+ )?(?:has been|is|was) (?:temporarily )?(?:blocked|banned|blacklisted)`,
      "i",
    ),
  ),
  blocked(
    "refusal",
    new RegExp(`${NOT_IF}\\byou have been (?:temporarily )?blocked\\b|\\bbanned your ip\\b`, "i"),
  ),
  blocked("refusal", /\bunusual traffic from your (?:computer )?network\b/i),
];

/** A captcha's widget or image. Good pages have these too: see `asksForAPerson`. */
export const CAPTCHA_WIDGET =
  /g-recaptcha|h-captcha|cf-turnstile|frc-captcha|geetest|funcaptcha|arkoselabs\.com|recaptcha\/(?:api|enterprise)|hcaptcha\.com|challenges\.cloudflare\.com\/turnstile|<(?:img|input)[^<>]{0,500}captcha/i;

export const ASKS_FOR_A_PERSON =
  /\bverify(?:ing)? (?:that )?you(?:'re| are)\b|\bprove (?:that )?you(?:'re| are)\b|\bnot a (?:ro)?bot\b|\bare you (?:a )?(?:human|robot)\b|\b(?:complete|solve) the (?:captcha|(?:security )?check|challenge)\b|\bunusual traffic\b|\bhuman verification\b|\b(?:enter|type) the (?:characters|letters|text|code|numbers)\b|\brobot check\b|\bconfirm (?:that )?you(?:'re| are) (?:a )?human\b|\bsecurity check\b/i;

/** Classes and ids of elements that open only on demand. */
export const OPENS_LATER =
  /^[.#](?:.*[-_])?(?:modal|dialog|popup|lightbox|offcanvas|drawer|hidden|hide|d-none|collapse|sr-only|visually-hidden)(?:[-_].*)?$/i;

export const SAYS_MAINTENANCE =
  /\bmaintenance\b|\bbe (?:right )?back (?:soon|shortly|later)\b|\bscheduled (?:downtime|outage)\b/i;

/** Apache's default page for any 503 mentions maintenance. */
export const STOCK_MAINTENANCE = /maintenance downtime or capacity problems/gi;

export const MAINTENANCE_TITLE =
  /\b(?:under|down for|undergoing|scheduled|planned|system|site) maintenance\b|^maintenance(?: mode| page)?$|\bbe (?:right )?back (?:soon|shortly)\b/i;
