import { NoValueLanguage } from "./grammar.ts";

export const ENGLISH = new NoValueLanguage({
  not: "not",
  no: "no|none|nothing",
  without: "without",
  given: `available|applicable|provided|listed|reported|recorded|specified|given|disclosed|stated|known|set|entered|
    on file|on record|supplied|indicated|assigned|found|shown|in (the |our )?(system|database|records|files)|
    at this time|published|posted|displayed|registered|submitted|identified|completed|filled in|determined|defined|
    announced|decided|named|noted|documented|shared|dated|mentioned|declared|quoted|measured|computed|calculated`,
  thing: `data|information|info|details?|values?|records?|entry|entries|results?|answers?|response|phone|telephone|
    fax|e-?mail|address|web ?site|web ?page|homepage|url|link|number|date|amount|price|name|owner|description|
    comments?|notes?|history|items?|documents?|figures?|listing|contact|photo|image|picture|location|matches|
    matching records|reviews?|ratings?`,
  kind: `further|more|additional|such|current|other|valid|exact|recent|available|owner|tax|sales?|contact|parcel|
    property|mailing|business|public|permit|building|assessment|phone|e-?mail|web|street|site|matching`,
  missing: "unavailable|unknown|missing|unspecified|undetermined|undisclosed",
  is: "the|this|is|are|was|were|has been|have been",
  when: `currently|temporarily|presently|yet|publicly|at this time|at present|at the moment|online|here|to date|now|as of now|
    as yet`,
  about: "about|on|for|of",
  later: "to be|will be|coming|available",
  announced:
    "determined|announced|advised|confirmed|decided|assigned|provided|named|defined|added|updated|scheduled|specified|completed|supplied|notified|" +
    "soon|shortly|later|on request",
  sentences: `n/a|n.a|na|n/d|n.d|n/k|n\\a|n.k|not avail|not avail.|nodata|tbd|tba|tbc|tbn|t.b.d|t.b.a|t.b.c|null|nul|
    undefined|nan|nil|none|unk|unavailable|unassigned|unlisted|unnamed|unreported|unrecorded|unpublished|undated|
    blank|empty|nothing|nbsp|&nbsp;|&nbsp|none yet|no value|does not apply|doesn't apply|not in service|data pending|
    information pending`,
});
