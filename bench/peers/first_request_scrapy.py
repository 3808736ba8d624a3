import scrapy


class FirstRequest(scrapy.Spider):
    name = "first-request"

    def __init__(self, url, **rest):
        super().__init__(**rest)
        self.start_urls = [url]

    def parse(self, response):
        pass
