/** The header, navigation and footer of every page of the county. */
export function framed(title: string, content: string): string {
  return `${HEAD}<title>${title} | Willow County Tax Office</title>${TOP}${content}${BOTTOM}`;
}

const DEPARTMENTS = [
  "Commissioners Court",
  "County Clerk",
  "District Clerk",
  "Elections &amp; Voter Registration",
  "Emergency Services",
  "Health &amp; Human Services",
  "Justices of the Peace",
  "Parks &amp; Recreation",
  "Purchasing",
  "Sheriff&#39;s Office",
  "Transportation &amp; Natural Resources",
  "Veterans Services",
];

const NAVIGATION = DEPARTMENTS.map(
  (name, index) => `
      <li class="nav-item${index % 2 === 0 ? " even" : ""}"><a class="nav-link" href="/departments/${index + 1}.aspx?src=nav&amp;pos=${index}"><span class="nav-text">${name}</span></a></li>`,
).join("");

const HEAD = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<meta http-equiv="X-UA-Compatible" content="IE=edge" />
<meta name="description" content="Search property tax accounts, view values and pay property taxes in Willow County" />
<link rel="stylesheet" type="text/css" href="/App_Themes/County/site.css?v=4.2.17" />
<link rel="shortcut icon" href="/favicon.ico" />
<style type="text/css">
  body { font-family: Verdana, Arial, sans-serif; font-size: 12px; margin: 0; background: #f4f1ea; }
  #banner td { background: #27485f; color: #ffffff; padding: 8px 12px; }
  .lbl { font-weight: bold; text-align: right; white-space: nowrap; width: 180px; color: #333333; }
  .val { padding-left: 8px; }
  .grid th { background: #27485f; color: #ffffff; font-weight: normal; }
  .grid tr.alt td { background: #eaf0f4; }
  .num { text-align: right; font-family: Consolas, monospace; }
  .notice { border: 1px solid #c8a43c; background: #fff8dd; padding: 6px 10px; margin: 8px 0; }
</style>
<script type="text/javascript">
//<![CDATA[
var theForm = document.forms['search'] || document.forms['aspnetForm'];
function __doPostBack(eventTarget, eventArgument) {
  if (!theForm.onsubmit || theForm.onsubmit() != false) {
    theForm.__EVENTTARGET.value = eventTarget;
    theForm.__EVENTARGUMENT.value = eventArgument;
    theForm.submit();
  }
}
function printBill() { window.print(); return false; }
//]]>
</script>
`;

const TOP = `
</head>
<body>
<table id="banner" width="100%" border="0" cellspacing="0" cellpadding="0"><tr>
  <td width="72"><img src="/images/seal.png" width="64" height="64" alt="County seal" /></td>
  <td><h1>Willow County Tax Assessor&ndash;Collector</h1><span class="motto">Serving the county since 1854 &bull; Open Mon&ndash;Fri 8&nbsp;am&nbsp;&ndash;&nbsp;5&nbsp;pm</span></td>
</tr></table>
<div id="wrapper"><table class="layout" width="980" border="0"><tr>
<td class="side" valign="top" width="200">
    <h4>Departments</h4>
    <ul id="nav">${NAVIGATION}
    </ul>
</td>
<td class="main" valign="top">
`;

const BOTTOM = `
</td></tr></table></div>
<div id="footer"><p>The information on this site is believed to be reliable but is not warranted; the certified roll governs.
Values shown are as of the last certification &amp; may change by order of the appraisal review board.</p>
<p><a href="/privacy.aspx">Privacy</a>&nbsp;|&nbsp;<a href="/accessibility.aspx">Accessibility</a>&nbsp;|&nbsp;<a href="/contact.aspx">Contact</a>&nbsp;|&nbsp;&copy; Willow County</p></div>
</body>
</html>
`;
