#include "CPageFiles.h"

// A new file has its lines here and its name in the list of the header. The compiler looks at the files again when they change.
#define FILE_OF(name) const ostiary_page_file ostiary_page_file_##name = {name, sizeof name};

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char begin_html[] = {
#embed "../Assets/begin.html"
};
FILE_OF(begin_html)

static const unsigned char consent_html[] = {
#embed "../Assets/consent.html"
};
FILE_OF(consent_html)

static const unsigned char consent_js[] = {
#embed "../Assets/consent.js"
};
FILE_OF(consent_js)

static const unsigned char device_css[] = {
#embed "../Assets/device.css"
};
FILE_OF(device_css)

static const unsigned char device_html[] = {
#embed "../Assets/device.html"
};
FILE_OF(device_html)

static const unsigned char device_js[] = {
#embed "../Assets/device.js"
};
FILE_OF(device_js)

static const unsigned char draw_js[] = {
#embed "../Assets/draw.js"
};
FILE_OF(draw_js)

static const unsigned char element_js[] = {
#embed "../Assets/element.js"
};
FILE_OF(element_js)

static const unsigned char embed_css[] = {
#embed "../Assets/embed.css"
};
FILE_OF(embed_css)

static const unsigned char embed_js[] = {
#embed "../Assets/embed.js"
};
FILE_OF(embed_js)

static const unsigned char enrol_css[] = {
#embed "../Assets/enrol.css"
};
FILE_OF(enrol_css)

static const unsigned char enrol_html[] = {
#embed "../Assets/enrol.html"
};
FILE_OF(enrol_html)

static const unsigned char enrol_js[] = {
#embed "../Assets/enrol.js"
};
FILE_OF(enrol_js)

static const unsigned char foot_html[] = {
#embed "../Assets/foot.html"
};
FILE_OF(foot_html)

static const unsigned char head_html[] = {
#embed "../Assets/head.html"
};
FILE_OF(head_html)

static const unsigned char icon_svg[] = {
#embed "../Assets/icon.svg"
};
FILE_OF(icon_svg)

static const unsigned char link_html[] = {
#embed "../Assets/link.html"
};
FILE_OF(link_html)

static const unsigned char link_js[] = {
#embed "../Assets/link.js"
};
FILE_OF(link_js)

static const unsigned char login_html[] = {
#embed "../Assets/login.html"
};
FILE_OF(login_html)

static const unsigned char login_js[] = {
#embed "../Assets/login.js"
};
FILE_OF(login_js)

static const unsigned char logout_html[] = {
#embed "../Assets/logout.html"
};
FILE_OF(logout_html)

static const unsigned char logout_js[] = {
#embed "../Assets/logout.js"
};
FILE_OF(logout_js)

static const unsigned char marks_html[] = {
#embed "../Assets/marks.html"
};
FILE_OF(marks_html)

static const unsigned char missing_html[] = {
#embed "../Assets/missing.html"
};
FILE_OF(missing_html)

static const unsigned char openapi_json[] = {
#embed "../Assets/openapi.json"
};
FILE_OF(openapi_json)

static const unsigned char page_js[] = {
#embed "../Assets/page.js"
};
FILE_OF(page_js)

static const unsigned char qr_js[] = {
#embed "../Assets/qr.js"
};
FILE_OF(qr_js)

static const unsigned char refused_html[] = {
#embed "../Assets/refused.html"
};
FILE_OF(refused_html)

static const unsigned char send_html[] = {
#embed "../Assets/send.html"
};
FILE_OF(send_html)

static const unsigned char send_js[] = {
#embed "../Assets/send.js"
};
FILE_OF(send_js)

static const unsigned char stale_html[] = {
#embed "../Assets/stale.html"
};
FILE_OF(stale_html)

static const unsigned char style_css[] = {
#embed "../Assets/style.css"
};
FILE_OF(style_css)

static const unsigned char texts_json[] = {
#embed "../Assets/texts.json"
};
FILE_OF(texts_json)

static const unsigned char trouble_html[] = {
#embed "../Assets/trouble.html"
};
FILE_OF(trouble_html)

static const unsigned char typed_css[] = {
#embed "../Assets/typed.css"
};
FILE_OF(typed_css)

static const unsigned char typed_js[] = {
#embed "../Assets/typed.js"
};
FILE_OF(typed_js)

static const unsigned char view_js[] = {
#embed "../Assets/view.js"
};
FILE_OF(view_js)
